//! Scope isolation, and the parts of attention that it shows: acceptance tests through `Engine`,
//! on every store. A comment above a test, or its name, names the behaviours of the acceptance
//! list that it proves.

// Tests and their helpers fail by panicking.
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
            scopes::main_always_exists,
            scopes::scope_notes_in_the_origin_creates_and_switches,
            scopes::goto_switches_and_notes_in_the_destination,
            scopes::the_worked_example,
            scopes::only_the_current_scope_is_shown,
            scopes::tokens_are_bounded_per_scope,
            scopes::a_scope_inherits_the_notes_of_main,
            scopes::scopes_lists_all_of_them,
            scopes::notes_of_the_current_and_of_a_named_scope,
            scopes::a_bad_switch_writes_nothing,
            scopes::a_pin_applies_to_one_command,
            scopes::each_actor_has_its_own_current_scope,
            large::many_leading_messages_stay_the_same,
            large::a_leading_message_over_its_cap_is_a_stub,
            large::a_large_unknown_field_is_left_out,
            large::parts_and_calls_that_providers_refuse_are_repaired,
            large::thousands_of_equal_ids_are_made_distinct,
            large::messages_behind_an_open_call_are_summed_up,
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
            layers::notes_over_the_cap_have_a_handle,
            chains::pending_chains_are_detected,
            chains::an_incomplete_chain_in_the_middle_is_removed,
            chains::a_dangling_chain_is_withheld_kept_or_closed,
            chains::a_pending_chain_is_carried,
            chains::only_its_authors_chain_moves,
            chains::a_switch_inside_a_tool_call_leaves_no_orphan,
            chains::repeated_ids_are_resolved,
            chains::turns_of_other_actors_are_attributed_text,
            chains::a_silence_gives_up_a_call,
            chains::a_note_after_a_silence_gives_up_a_call,
            chains::a_rewind_keeps_calls_and_replies_together,
            chains::no_orphans_at_any_budget,
            attention::registration_focuses_main,
            attention::leaving_leaves_no_primary_and_focus_chooses,
            attention::a_view_has_id_actions_start_end_and_predecessor,
            attention::one_view_in_all_streams,
            attention::streams_are_linked_lists,
            attention::leaving_closes_a_view_and_entering_opens_the_next,
            attention::actions_coalesce_until_inactivity,
            attention::a_mutation_elsewhere_ends_the_view,
            attention::a_frame_never_exceeds_n,
            attention::eviction_is_per_frame,
            attention::a_note_captures_its_scopes_frame,
            attention::a_capture_never_exceeds_n,
            attention::messages_are_actions_of_a_view_but_not_visits,
            attention::switching_visits_the_note_in_its_scope,
            secrets::secrets_are_removed_before_anything_is_stored,
            secrets::only_texts_arguments_and_replies_are_redacted,
            secrets::redaction_is_a_setting,
            secrets::a_vault_can_configure_prefixes_of_secrets,
            secrets::warnings_about_many_secrets_are_summed_up,
            settings::a_scope_overrides_its_vault_and_both_can_be_unset,
            settings::every_setting_keeps_its_bounds,
            settings::settings_that_affect_compositions_begin_an_epoch,
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
            cache::each_reader_has_its_own_silence,
            cache::an_outdated_expected_head_is_refused,
            reading::turns_blocks_and_handles_can_be_read,
            reading::a_note_can_be_read_by_hash_and_by_event,
            reading::hidden_messages_can_be_read,
            reading::unknown_names_are_not_found,
            reading::any_part_of_any_handle_equals_the_stored_bytes,
            reading::a_key_makes_a_repeated_call_safe,
            reading::vaults_are_isolated_from_each_other,
            reading::an_actor_is_named_by_name_or_id,
            reading::append_reports_what_it_did,
            search::notes_and_messages_are_found_with_their_reasons,
            search::a_search_is_not_a_visit,
            search::search_filters_by_scope_actor_kind_and_time,
            search::a_filter_reaches_past_better_hits,
            search::any_text_is_a_query_for_its_words,
            search::hidden_items_are_found_and_flagged,
            search::an_answer_is_found_by_its_question,
            search::a_search_is_limited_to_its_vault,
            search::forget_selects_by_words,
            insights::insights_are_shown_in_every_scope,
            insights::an_insight_is_retracted_by_an_event,
            insights::an_insight_begins_an_epoch_for_every_reader,
            insights::an_insight_is_captured_where_it_was_written,
            insights::an_insight_too_long_has_a_handle_and_can_be_forgotten,
            bad_input::invalid_names_are_refused,
            bad_input::invalid_messages_are_refused,
            bad_input::invalid_utf8_is_refused,
            bad_input::deep_nesting_is_refused,
            bad_input::a_message_over_the_limit_is_refused,
            bad_input::unknown_scopes_and_settings_are_refused,
            log::every_operation_is_an_event,
            log::the_state_follows_from_the_log,
            log::bodies_hold_no_user_text,
            log::the_log_comes_in_pages,
            log::event_times_never_go_back,
            log::every_store_writes_the_same_bytes,
            forget::a_text_is_forgotten_by_its_name,
            forget::one_block_of_a_message_can_be_forgotten,
            forget::calls_and_replies_stay_paired,
            forget::an_open_call_can_be_forgotten,
            forget::texts_that_others_reference_are_kept,
            forget::selections_filter_by_scope_actor_and_text,
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
