//! The contract that every store fulfils: one suite, run for each store by one line at the end of
//! this file. Whatever a store keeps, it decides inside its transaction, rejects without a trace,
//! and gives back the rows that follow from the log. What only a file can do is in
//! `contract/sqlite_file.rs` and its neighbours.

// A test that cannot go on says so by a panic, in its helpers too.
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
            vaults::a_vault_that_is_not_there_is_said_so,
            vaults::equal_scripts_in_two_vaults_give_equal_rows,
            vaults::what_one_vault_holds_another_does_not_find,
            transact::deciding_happens_inside_the_transaction,
            transact::a_rejection_writes_nothing,
            transact::more_state_is_given_when_asked_for,
            transact::asking_forever_ends_and_writes_nothing,
            transact::a_panic_while_deciding_leaves_no_trace,
            transact::time_never_goes_back,
            group::commands_that_wait_are_kept_together_and_judged_alone,
            group::a_key_given_twice_at_once_is_kept_once,
            group::many_writers_at_once_lose_nothing,
            group::commands_of_several_vaults_are_kept_apart,
            keys::a_repeated_key_gets_the_first_answer,
            keys::another_command_under_a_key_is_a_conflict,
            keys::rejections_are_not_kept,
            keys::a_key_belongs_to_its_actor_and_vault,
            keys::keys_live_seven_days,
            session::every_event_type_follows_from_the_log,
            session::what_was_shown_can_be_read_back_exactly,
            session::reads_of_places_equal_a_recount,
            session::a_rewind_to_what_is_no_message_is_refused,
            chance::sessions_by_chance_follow_from_their_log,
            reading::events_come_in_pages,
            reading::contents_are_stored_once_and_come_in_pages,
            reading::notes_are_found_by_their_hash,
            reading::blocks_are_those_of_one_event,
            reading::state_holds_what_was_asked_for,
            reading::texts_keep_every_byte,
            forget::a_text_goes_with_the_last_that_bears_it,
            forget::marks_stand_where_texts_stood,
            forget::the_rest_of_a_turn_is_a_text_too,
            forget::what_is_forgotten_is_no_event_again,
            forget::readers_are_told_where_it_was_shown,
            forget::an_equal_text_is_stored_anew,
            forget::forgetting_and_saying_the_same_at_once_never_mix_up,
            forget::what_is_not_there_is_passed_over,
            search::every_store_finds_what_the_reference_finds,
            search::what_is_forgotten_is_found_by_no_word,
            search::what_is_rebuilt_or_brought_in_is_found_alike,
            search::a_vault_finds_nothing_of_another,
            import::a_vault_comes_in_as_it_was,
            import::until_it_is_finished_nobody_can_use_it,
            import::an_import_goes_on_where_it_stopped,
            import::an_abandoned_import_leaves_nothing,
            upkeep::a_rebuild_of_what_is_whole_changes_nothing,
            upkeep::keys_that_ran_out_are_collected,
            upkeep::a_healthy_store_has_nothing_bad,
        }
    };
}

contract!(memory);
contract!(sqlite);
contract!(postgres);
