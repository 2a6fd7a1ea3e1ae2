//! Attention: acceptance tests through `Engine`, on every store. A comment above a test, or its
//! name, names the behaviours of the acceptance list that it proves.

#![allow(clippy::unwrap_used)]

#[path = "attention/after_commit.rs"]
mod after_commit;
#[path = "attention/asking.rs"]
mod asking;
#[path = "attention/bad_input.rs"]
mod bad_input;
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

use ambit_testkit::{chance, server};

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
            objects::visited_objects_enter_the_frame,
            objects::the_type_decides_whether_reading_is_a_visit,
            objects::types_are_a_table_that_settings_extend,
            objects::reading_without_a_visit,
            objects::objects_in_no_scope_are_captured_from_the_actors_frame,
            objects::the_frame_that_a_change_captures,
            objects::every_change_is_captured_before_its_own_visit,
            objects::replaced_and_forgotten_items_stay_in_mind,
            objects::versions_are_kept_and_compared,
            objects::names_and_types_never_change,
            objects::objects_are_found_and_forgotten,
            frames::enter_leave_and_focus,
            frames::reads_and_writes_activate_no_scope,
            frames::a_scopes_stream_pauses_while_nobody_is_inside,
            frames::a_repeated_visit_moves_and_adds_nothing,
            frames::the_frame_size_is_a_setting,
            frames::time_ends_views_but_keeps_frames,
            frames::a_break_ends_the_view_and_stops_captures,
            frames::every_actor_and_scope_has_its_own_frame,
            frames::two_actors_make_two_views,
            frames::a_view_is_the_same_by_id_and_in_every_stream,
            frames::a_scope_is_suggested_and_never_entered,
            forks::a_fork_copies_the_frame,
            forks::frames_are_independent_after_a_fork,
            forks::a_rejoin_is_one_merge_in_both_streams,
            forks::after_a_rejoin_the_stream_stays_unchanged,
            forks::a_merge_and_the_view_of_its_event_stay_together,
            forks::several_subagents_of_one_scope,
            forks::a_crashed_subagent_is_rejoined_by_others,
            forks::an_abandoned_subagent_keeps_its_views_and_cannot_act,
            forks::a_merge_names_the_view_that_its_event_opened,
            forks::a_closed_scope_gathers_no_visits,
            forks::abandoning_from_within_leaves_the_scope,
            forks::a_rejoin_with_open_grandchildren_requires_deep,
            forks::a_note_never_goes_into_a_closed_scope,
            forks::strangers_cannot_find_a_subagent,
            forks::a_handover_includes_the_context,
            forks::a_fork_inherits_notes_or_nothing,
            inheriting::a_full_fork_continues_the_messages,
            inheriting::inherited_messages_stay_as_they_were,
            inheriting::a_long_conversation_is_inherited_from_its_end,
            inheriting::inherited_messages_keep_the_cache,
            inheriting::the_cap_of_inherited_messages_is_used,
            inheriting::a_carried_chain_is_inherited_once,
            inheriting::inherited_instructions_stay,
            moments::closing_the_primary_scope_leaves_none,
            inheriting::a_fork_succeeds_without_a_composition,
            asking::actions_have_type_target_time_and_visits,
            asking::a_history_lists_an_actors_work_in_a_period,
            asking::a_scopes_history_lists_who_did_what,
            asking::a_history_of_changes_reaches_past_visits,
            asking::a_history_finds_views_that_began_long_ago,
            asking::why_reports_the_captured_items,
            asking::related_counts_items_in_mind_together,
            asking::a_composition_names_what_is_in_mind,
            asking::a_search_ranks_related_items_higher,
            asking::streams_are_paged_both_ways,
            moments::frames_can_be_read_at_any_moment,
            moments::scopes_and_notes_can_be_read_at_any_moment,
            moments::compositions_can_be_repeated_for_any_moment,
            moments::past_compositions_include_items_hidden_since,
            moments::versions_can_be_read_at_any_moment,
            undoing::a_change_is_reverted_by_a_new_version,
            undoing::all_changes_of_an_actor_since_a_moment_are_reverted,
            undoing::later_changes_by_others_are_left_alone,
            tidying::idle_views_end,
            tidying::due_upkeep_is_done_automatically,
            tidying::frames_of_abandoned_subagents_are_dropped,
            tidying::frames_of_subagents_that_never_acted_are_dropped,
            tidying::old_views_are_summarised,
            tidying::changes_with_much_in_mind_stay_whole,
            objects::a_first_version_is_compared_with_an_empty_text,
            forks::a_long_merge_reports_its_number_of_views,
            asking::a_history_includes_changes_outside_all_scopes,
            asking::a_history_can_be_limited_to_a_period,
            asking::a_history_finds_actors_that_pinned_the_scope,
            forks::a_repeated_rejoin_returns_the_first_answer,
            forks::an_ended_subagent_has_left_every_scope,
            undoing::a_revert_can_be_repeated,
            undoing::a_key_belongs_to_one_revert,
            undoing::only_the_latest_changes_are_reverted,
            moments::a_past_moment_uses_the_primary_scope_of_that_moment,
            undoing::conflicts_do_not_prevent_other_reverts,
            asking::why_respects_a_pinned_scope,
            tidying::rows_that_stay_do_not_hide_due_ones,
            bad_input::invalid_commands_are_refused_and_change_nothing,
        }
    };
}

acceptance!(memory);
acceptance!(sqlite);
acceptance!(postgres);
