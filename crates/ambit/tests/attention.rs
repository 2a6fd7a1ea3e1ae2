//! Attention: acceptance tests through `Engine`, on every store. A comment above a test, or its
//! name, says which behaviours of the acceptance list it proves.

#![allow(clippy::unwrap_used)]

#[path = "attention/after_commit.rs"]
mod after_commit;
#[path = "attention/asking.rs"]
mod asking;
#[path = "attention/bad_input.rs"]
mod bad_input;
#[path = "properties/chance.rs"]
mod chance;
#[path = "attention/faults.rs"]
mod faults;
#[path = "attention/forks.rs"]
mod forks;
#[path = "attention/frames.rs"]
mod frames;
#[path = "attention/inheriting.rs"]
mod inheriting;
#[path = "attention/inheriting_random.rs"]
mod inheriting_random;
#[path = "attention/moments.rs"]
mod moments;
#[path = "attention/objects.rs"]
mod objects;
#[path = "../../ambit-store/tests/support/server.rs"]
mod server;
#[path = "attention/things.rs"]
mod things;
#[path = "attention/tidying.rs"]
mod tidying;
#[path = "attention/traces.rs"]
mod traces;
#[path = "attention/undoing.rs"]
mod undoing;
#[expect(dead_code, reason = "the tests of scope isolation use more of it")]
#[path = "isolation/world.rs"]
mod world;

macro_rules! cases {
    ($store:ident: $($area:ident :: $case:ident),+ $(,)?) => {
        mod $store {
            $(#[test]
            fn $case() {
                super::$area::$case(&super::world::World::$store());
            })+
        }
    };
}

macro_rules! acceptance {
    ($store:ident) => {
        cases! { $store:
            objects::what_is_looked_at_comes_to_mind,
            objects::the_type_decides,
            objects::types_are_a_table_that_settings_extend,
            objects::a_look_can_be_no_visit,
            objects::what_no_scope_holds_is_captured_from_its_actor,
            objects::where_a_change_is_captured,
            objects::every_change_is_captured_before_its_own_visit,
            objects::what_was_replaced_or_forgotten_stays_in_mind,
            objects::versions_are_kept_and_compared,
            objects::names_and_types_are_settled_once,
            objects::what_is_put_is_found_and_forgotten,
            frames::enter_leave_and_focus,
            frames::nothing_else_makes_a_scope_active,
            frames::a_scopes_stream_rests_while_nobody_is_there,
            frames::a_repeated_visit_moves_and_adds_nothing,
            frames::the_size_can_be_set,
            frames::frames_do_not_fade,
            frames::a_break_begins_a_new_chapter,
            frames::everybody_has_a_frame_and_the_scope_gathers,
            frames::two_actors_make_two_views,
            frames::a_view_reads_the_same_by_every_way,
            frames::a_scope_is_suggested_and_never_entered,
            forks::a_fork_copies_what_is_in_mind,
            forks::both_sides_go_their_own_way,
            forks::a_rejoin_is_one_merge_in_both_streams,
            forks::after_a_rejoin_nothing_is_added,
            forks::a_merge_and_the_view_of_its_event_stay_together,
            forks::several_subagents_of_one_scope,
            forks::a_crashed_subagent_is_rejoined_by_others,
            forks::an_abandoned_subagent,
            forks::a_merge_names_the_view_that_its_event_opened,
            forks::a_closed_scope_gathers_nothing_more,
            forks::who_abandons_from_within_is_out,
            forks::grandchildren_first_or_deep,
            forks::a_note_never_goes_into_a_closed_scope,
            forks::strangers_do_not_learn_of_it,
            forks::a_hand_over_takes_the_context_along,
            forks::what_a_fork_inherits,
            inheriting::a_full_fork_goes_on_from_the_messages,
            inheriting::what_is_inherited_stands_as_it_was,
            inheriting::a_long_conversation_is_inherited_from_its_end,
            inheriting::what_is_inherited_keeps_the_cache,
            inheriting::the_cap_of_what_is_inherited_is_used,
            inheriting::a_carried_chain_is_inherited_once,
            inheriting::inherited_instructions_stay,
            moments::a_closed_scope_leaves_no_primary,
            inheriting::a_fork_is_made_although_nothing_can_be_shown,
            asking::actions_tell_what_they_did,
            asking::what_was_i_working_on,
            asking::who_did_what_in_a_scope,
            asking::a_history_of_changes_reaches_past_looks,
            asking::a_history_finds_who_began_long_ago,
            asking::why_tells_what_was_in_mind,
            asking::related_counts_what_stood_together,
            asking::a_composition_names_what_is_in_mind,
            asking::a_search_heeds_what_stood_in_mind_together,
            asking::streams_are_paged_both_ways,
            moments::frames_can_be_told_for_any_moment,
            moments::standing_scopes_and_notes_can_be_told_for_any_moment,
            moments::compositions_can_be_told_for_any_moment,
            moments::d0_what_was_out_of_sight_can_be_told_too,
            moments::versions_can_be_told_for_any_moment,
            undoing::a_change_is_taken_back_by_a_new_version,
            undoing::all_of_an_actor_since_a_moment,
            undoing::what_others_changed_since_is_left_alone,
            tidying::idle_views_end,
            tidying::what_is_due_is_done_without_being_asked,
            tidying::frames_of_the_abandoned_go,
            tidying::frames_of_those_who_never_acted_go,
            tidying::old_views_are_summarised,
            tidying::changes_with_much_in_mind_stay_whole,
            objects::a_first_version_is_compared_with_nothing,
            forks::a_long_merge_says_how_long_it_is,
            asking::a_history_tells_all_of_what_no_scope_holds,
            asking::a_history_of_a_time,
            asking::a_history_finds_who_pinned_a_scope,
            forks::rejoined_one_after_the_other,
            forks::who_ends_is_out_everywhere,
            undoing::a_revert_can_be_repeated,
            undoing::a_key_stands_for_one_revert,
            undoing::what_is_latest_goes_back_and_no_further,
            moments::a_moment_is_told_in_the_scope_of_that_moment,
            undoing::what_cannot_be_taken_back_keeps_nothing_else,
            asking::why_heeds_the_scope_that_was_named,
            tidying::what_stays_hides_nothing,
            bad_input::what_cannot_be_says_why_and_changes_nothing,
        }
    };
}

acceptance!(memory);
acceptance!(sqlite);
acceptance!(postgres);
