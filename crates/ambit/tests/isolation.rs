//! Scope isolation, and what it already shows of attention: acceptance tests through `Engine`, on
//! every store. A comment above a test, or its name, says which behaviours of the acceptance list
//! it proves.

// A test that cannot go on says so by a panic, in its helpers too.
#![allow(clippy::unwrap_used)]

#[path = "isolation/attention.rs"]
mod attention;
#[path = "isolation/bad_input.rs"]
mod bad_input;
#[path = "isolation/budget.rs"]
mod budget;
#[path = "isolation/cache.rs"]
mod cache;
#[path = "isolation/chains.rs"]
mod chains;
#[path = "isolation/durable.rs"]
mod durable;
#[path = "isolation/forget.rs"]
mod forget;
#[path = "isolation/insights.rs"]
mod insights;
#[path = "isolation/large.rs"]
mod large;
#[path = "isolation/layers.rs"]
mod layers;
#[path = "isolation/log.rs"]
mod log;
#[path = "isolation/notes.rs"]
mod notes;
#[path = "isolation/reading.rs"]
mod reading;
#[path = "isolation/scopes.rs"]
mod scopes;
#[path = "isolation/search.rs"]
mod search;
#[path = "isolation/secrets.rs"]
mod secrets;
#[path = "isolation/settings.rs"]
mod settings;
#[path = "isolation/world.rs"]
mod world;

use ambit_testkit::server;

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
            scopes::there_is_always_main,
            scopes::scope_notes_in_the_origin_creates_and_switches,
            scopes::goto_switches_and_notes_in_the_destination,
            scopes::the_worked_example,
            scopes::only_the_current_scope_is_shown,
            scopes::tokens_are_bounded_per_scope,
            scopes::a_scope_inherits_the_notes_of_main,
            scopes::scopes_lists_all_of_them,
            scopes::notes_of_the_current_and_of_a_named_scope,
            scopes::a_bad_switch_writes_nothing,
            scopes::a_pin_works_elsewhere_and_moves_nobody,
            scopes::actors_move_on_their_own,
            large::many_leading_messages_stay_the_same,
            large::a_leading_message_over_its_cap_is_a_stub,
            large::a_large_unknown_field_is_left_out,
            large::parts_and_calls_that_providers_refuse_are_mended,
            large::thousands_of_equal_ids_are_told_apart,
            large::much_behind_an_open_call_is_one_line,
            large::notes_that_do_not_fit_have_receipts,
            notes::a_note_and_its_history,
            notes::what_the_hash_covers,
            notes::a_note_is_one_line,
            notes::note_does_not_switch,
            notes::the_snapshot_is_exact_and_only_the_message_is_shown,
            notes::a_snapshot_is_taken_before_the_command,
            notes::clearing_is_a_setting_and_off_by_default,
            notes::a_pending_chain_is_never_cleared,
            notes::hashes_that_name_no_note_are_not_found,
            layers::messages_are_shown_as_they_were_given,
            layers::the_system_prompt_comes_first,
            layers::the_layer_of_notes,
            layers::only_the_last_notes_are_shown,
            layers::system_then_notes_then_messages,
            layers::layered_at_every_call_stable_at_an_epochs_start,
            layers::an_empty_message_is_left_out_and_costs_nothing,
            layers::notes_over_the_cap_are_named,
            chains::pending_chains_are_detected,
            chains::an_incomplete_chain_in_the_middle_is_removed,
            chains::a_dangling_chain_is_withheld_kept_or_closed,
            chains::a_pending_chain_is_carried,
            chains::only_its_authors_chain_moves,
            chains::a_switch_inside_a_tool_call_leaves_no_orphan,
            chains::ids_repeat,
            chains::anothers_turns_are_attributed_text,
            chains::a_silence_gives_a_call_up,
            chains::a_note_after_a_silence_gives_a_call_up,
            chains::a_rewind_keeps_calls_and_replies_together,
            chains::no_orphans_at_any_budget,
            attention::registration_focuses_main,
            attention::leaving_leaves_no_primary_and_focus_chooses,
            attention::what_a_view_has,
            attention::one_view_in_all_streams,
            attention::streams_are_linked_lists,
            attention::leaving_closes_a_view_and_entering_opens_the_next,
            attention::actions_coalesce_until_inactivity,
            attention::a_mutation_elsewhere_ends_the_view,
            attention::a_frame_never_exceeds_n,
            attention::eviction_is_per_frame,
            attention::a_note_captures_its_scopes_frame,
            attention::a_capture_never_exceeds_n,
            attention::messages_are_view_actions_and_no_visits,
            attention::switching_visits_where_its_note_stands,
            secrets::secrets_are_gone_before_anything_is_kept,
            secrets::only_texts_arguments_and_replies_are_touched,
            secrets::redaction_is_a_setting,
            secrets::a_vault_has_secrets_of_its_own,
            secrets::of_many_messages_with_secrets_some_are_named,
            settings::a_scope_overrides_its_vault_and_both_can_be_unset,
            settings::every_setting_keeps_its_bounds,
            settings::settings_that_decide_reads_begin_an_epoch,
            settings::limits_refuse_what_exceeds_them,
            settings::the_request_overrides_the_settings,
            settings::idle_seconds_decide_when_a_silence_begins,
            settings::weights_decide_what_a_call_costs,
            budget::the_window_ends_with_the_last_message_and_moves_in_steps,
            budget::leading_system_messages_stay_in_sight,
            budget::a_message_too_large_becomes_a_stub,
            budget::a_large_call_stays_json,
            budget::a_budget_too_small_is_refused,
            budget::an_empty_scope_composes_to_nothing,
            cache::a_linear_conversation_keeps_its_prefix,
            cache::notes_and_calls_leave_the_front_alone,
            cache::boundaries_begin_a_new_epoch,
            cache::silence_is_the_readers_own,
            cache::expecting_a_head_refuses_who_was_overtaken,
            reading::a_turn_a_block_and_a_handle,
            reading::a_note_by_its_hash_and_by_its_event,
            reading::what_is_hidden_can_be_read,
            reading::names_of_nothing_are_not_found,
            reading::any_part_of_any_handle_equals_the_stored_bytes,
            reading::a_key_makes_a_repeated_call_safe,
            reading::vaults_know_nothing_of_each_other,
            reading::an_actor_goes_by_name_or_id,
            reading::append_says_what_it_did,
            search::notes_and_messages_are_found_with_their_reasons,
            search::a_search_is_no_visit,
            search::filters_say_where_who_what_and_when,
            search::a_filter_reaches_past_better_finds,
            search::any_text_is_a_query_for_its_words,
            search::what_is_out_of_sight_is_found_and_says_so,
            search::what_came_before_helps_to_find_an_answer,
            search::a_vault_is_searched_alone,
            search::words_select_what_is_forgotten,
            insights::insights_are_shown_in_every_scope,
            insights::an_insight_is_retracted_by_an_event,
            insights::an_insight_begins_an_epoch_for_everybody,
            insights::an_insight_is_captured_where_it_was_had,
            insights::an_insight_too_long_has_a_handle_and_can_be_forgotten,
            bad_input::names_that_are_no_names,
            bad_input::messages_that_are_no_messages,
            bad_input::bytes_that_are_no_text,
            bad_input::deep_nesting_is_refused,
            bad_input::a_message_over_the_limit,
            bad_input::scopes_and_settings_that_are_not_there,
            log::every_operation_is_an_event,
            log::the_state_follows_from_the_log,
            log::bodies_hold_no_user_text,
            log::the_log_comes_in_pages,
            log::a_clock_that_goes_back_turns_nothing_back,
            log::every_store_writes_the_same_bytes,
            forget::a_text_is_forgotten_by_its_name,
            forget::one_block_of_a_message_can_go,
            forget::calls_and_replies_stay_paired,
            forget::an_open_call_can_be_forgotten,
            forget::what_others_bear_stays_with_them,
            forget::selections_say_where_who_and_what,
            forget::a_text_is_found_within_json,
            forget::names_cannot_be_forgotten,
            forget::a_key_makes_forgetting_safe,
            forget::many_are_forgotten_in_batches,
            forget::marks_are_counted,
            forget::forgetting_is_a_boundary,
        }
    };
}

acceptance!(memory);
acceptance!(sqlite);
acceptance!(postgres);
