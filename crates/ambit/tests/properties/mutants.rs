//! Each check is shown to fail: a build that breaks one rule on purpose is found out by the check
//! that is there for it, looked at alone. The same scripts pass on a sound build.

use ambit_core::mutant::{self, Mutant};

use crate::run::{Check, On, run};
use crate::scripts::script;

/// Within how many scripts a fault must be found.
const SCRIPTS_MAX: u64 = 60;

/// Switches the fault off again, also where a test fails.
struct Broken;

impl Broken {
    fn build(mutant: Mutant) -> Broken {
        mutant::set(Some(mutant));
        Broken
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        mutant::set(None);
    }
}

fn found(mutant: Mutant, check: Check, on: On) {
    let broken = Broken::build(mutant);
    let found = (0..SCRIPTS_MAX).find_map(|seed| {
        let failure = run(&script(seed, crate::STEPS), on, Some(check)).err()?;
        Some((seed, failure))
    });
    drop(broken);
    let (seed, failure) = found.unwrap_or_else(|| panic!("{check:?} did not find {mutant:?}"));
    assert_eq!(failure.check, check);
    println!("{mutant:?}: found by {check:?} in script {seed}, step {}", failure.step);
}

#[test]
fn stale_sums_are_found_by_rebuilding() {
    found(Mutant::SumsStale, Check::Rows, On::Sqlite);
}

#[test]
fn a_forgotten_standing_is_found_by_reading_the_state() {
    found(Mutant::StandingForgotten, Check::Apply, On::Memory);
    found(Mutant::StandingForgotten, Check::Apply, On::Sqlite);
}

#[test]
fn calls_without_replies_are_found_by_the_checker() {
    found(Mutant::GivenUpShown, Check::Valid, On::Memory);
}

#[test]
fn an_ignored_room_is_found_by_the_budget() {
    found(Mutant::RoomIgnored, Check::Budget, On::Memory);
}

#[test]
fn an_ignored_fold_is_found_by_the_prefix() {
    found(Mutant::FoldIgnored, Check::Prefix, On::Memory);
}

#[test]
fn a_note_in_the_wrong_scope_is_found_by_the_model() {
    found(Mutant::ArrivalInOrigin, Check::Model, On::Memory);
}

//
#[test]
fn equal_ids_out_of_order_are_found_by_the_model() {
    found(Mutant::EqualIdsReversed, Check::Model, On::Memory);
}

#[test]
fn an_unheard_silence_is_found_by_the_prefix() {
    found(Mutant::SilenceUnheard, Check::Prefix, On::Memory);
}

// D1-12
#[test]
fn an_untold_carry_is_found_by_the_prefix() {
    found(Mutant::CarriedUntold, Check::Prefix, On::Memory);
}

#[test]
fn a_rolling_window_is_found_by_the_prefix() {
    found(Mutant::WindowRolls, Check::Prefix, On::Memory);
}

#[test]
fn a_cut_turn_is_found_by_the_model() {
    found(Mutant::TurnCut, Check::Model, On::Memory);
}

// D1-2
#[test]
fn cleared_pending_chains_are_found_by_the_model() {
    found(Mutant::PendingCleared, Check::Model, On::Memory);
}

#[test]
fn replies_rewound_without_their_call_are_found_by_the_model() {
    found(Mutant::ReplyRewound, Check::Model, On::Memory);
}

// D0-10
#[test]
fn a_view_that_outlives_its_scope_is_found_in_the_log() {
    found(Mutant::ViewOutlives, Check::Attention, On::Memory);
}

// S0-44, S0-45
#[test]
fn an_overfull_frame_is_found_in_the_log() {
    found(Mutant::FrameOverfull, Check::Attention, On::Memory);
}

#[test]
fn tokens_wrongly_called_shared_are_found_by_the_prefix() {
    found(Mutant::SharedOvercounted, Check::Prefix, On::Memory);
}

#[test]
fn a_shared_text_that_was_forgotten_is_found_by_the_model() {
    found(Mutant::SharedForgotten, Check::Model, On::Memory);
    found(Mutant::SharedForgotten, Check::Model, On::Sqlite);
}

#[test]
fn an_untold_forgetting_is_found_by_the_prefix() {
    found(Mutant::ForgottenUntold, Check::Prefix, On::Memory);
}
