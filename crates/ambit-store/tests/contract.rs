//! The contract of every store: one suite, run for each store by one line at the end of this file.
//! A store decides commands inside its transaction, refuses without a trace, and returns the rows
//! that follow from the log. Tests for one kind of store are in `contract/sqlite_*.rs` and
//! `contract/postgres_*.rs`.

// Tests and their helpers panic on errors.
#![allow(clippy::unwrap_used)]

#[path = "contract/chance.rs"]
mod chance;
#[path = "contract/driver.rs"]
mod driver;
#[path = "contract/forget.rs"]
mod forget;
#[path = "contract/group.rs"]
mod group;
#[path = "contract/import.rs"]
mod import;
#[path = "contract/keys.rs"]
mod keys;
#[path = "contract/kinds.rs"]
mod kinds;
#[path = "contract/name_lock.rs"]
mod name_lock;
#[path = "contract/open.rs"]
mod open;
#[path = "contract/postgres_locked.rs"]
mod postgres_locked;
#[path = "contract/postgres_lost.rs"]
mod postgres_lost;
#[path = "contract/postgres_memory.rs"]
mod postgres_memory;
#[path = "contract/postgres_schema.rs"]
mod postgres_schema;
#[path = "contract/postgres_session.rs"]
mod postgres_session;
#[path = "contract/postgres_tls.rs"]
mod postgres_tls;
#[path = "contract/reading.rs"]
mod reading;
#[path = "contract/search.rs"]
mod search;
#[path = "contract/session.rs"]
mod session;
#[path = "contract/sqlite_file.rs"]
mod sqlite_file;
#[path = "contract/sqlite_forget.rs"]
mod sqlite_forget;
#[path = "contract/sqlite_plans.rs"]
mod sqlite_plans;
#[path = "contract/sqlite_together.rs"]
mod sqlite_together;
#[path = "contract/sqlite_upkeep.rs"]
mod sqlite_upkeep;
#[path = "contract/transact.rs"]
mod transact;
#[path = "contract/upkeep.rs"]
mod upkeep;
#[path = "contract/vault_named.rs"]
mod vault_named;
#[path = "contract/vaults.rs"]
mod vaults;

use ambit_testkit::server;

macro_rules! cases {
    ($store:ident: $($area:ident :: $case:ident),+ $(,)?) => {
        mod $store {
            $(#[test]
            fn $case() {
                let opened = super::open::$store();
                super::$area::$case(opened.store.as_ref());
            })+
        }
    };
}

macro_rules! contract {
    ($store:ident) => {
        cases! { $store:
            vaults::a_vault_is_created_once_and_listed_by_name,
            vaults::a_missing_vault_is_reported,
            vaults::equal_scripts_in_two_vaults_give_equal_rows,
            vaults::a_vault_cannot_read_another,
            transact::commands_are_decided_inside_the_transaction,
            transact::a_refusal_writes_nothing,
            transact::a_decision_can_ask_for_more_state,
            transact::asking_forever_ends_and_writes_nothing,
            transact::a_panic_while_deciding_leaves_no_trace,
            transact::time_never_goes_back,
            group::queued_commands_share_a_transaction_and_fail_alone,
            group::a_key_given_twice_at_once_is_used_once,
            group::many_writers_at_once_lose_nothing,
            group::grouped_commands_go_to_their_own_vaults,
            keys::a_repeated_key_gets_the_first_answer,
            keys::another_command_under_a_key_is_a_conflict,
            keys::refusals_are_not_stored_under_a_key,
            keys::a_key_belongs_to_its_actor_and_vault,
            keys::keys_expire_after_seven_days,
            session::every_event_type_follows_from_the_log,
            session::what_was_shown_can_be_read_back_exactly,
            session::reads_of_places_equal_a_recount,
            session::a_rewind_to_anything_but_a_shown_message_is_refused,
            chance::random_sessions_follow_from_their_log,
            reading::events_come_in_pages,
            reading::contents_are_stored_once_and_come_in_pages,
            reading::notes_are_found_by_their_hash,
            reading::blocks_are_those_of_one_event,
            reading::state_holds_what_was_asked_for,
            reading::texts_keep_every_byte,
            forget::a_text_is_deleted_with_its_last_reference,
            forget::marks_replace_forgotten_texts,
            forget::the_shape_of_a_turn_can_be_forgotten_too,
            forget::forgetting_again_writes_no_event,
            forget::forgetting_starts_an_epoch_where_it_was_shown,
            forget::an_equal_text_is_stored_again_after_forgetting,
            forget::forgetting_and_appending_an_equal_text_do_not_race,
            forget::forgetting_ignores_unknown_numbers,
            search::every_store_finds_what_the_reference_finds,
            search::no_word_finds_a_forgotten_text,
            search::rebuilt_and_imported_vaults_find_the_same,
            search::a_vault_finds_nothing_of_another,
            import::an_imported_vault_equals_its_source,
            import::an_unfinished_import_cannot_be_used,
            import::an_import_resumes_where_it_stopped,
            import::an_abandoned_import_leaves_nothing,
            upkeep::a_rebuild_of_an_intact_vault_changes_nothing,
            upkeep::expired_keys_are_collected,
            upkeep::a_healthy_store_has_nothing_bad,
        }
    };
}

contract!(memory);
contract!(sqlite);
contract!(postgres);
