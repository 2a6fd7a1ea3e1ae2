//! Composes with an injected fault in the State, the plan or the items.

use ambit::{Caller, Composition, Error, Request, tokens};
use ambit_core::compose::{self, Plan, gather};
use ambit_core::{Counted, Needs, Reach};
use ambit_store::Store;

use super::run::World;
use crate::fault::{Breaks, Fault};

impl World {
    /// Composes with the engine, or step by step to inject a fault.
    pub fn compose(&self, caller: &Caller, request: &Request) -> Result<Composition, Error> {
        match self.setup.fault {
            Some(
                fault @ Fault {
                    breaks: Breaks::Read(_) | Breaks::Plan(_) | Breaks::Items(_), ..
                },
            ) => self.compose_broken(caller, request, fault),
            _ => self.engine.compose(caller, request),
        }
    }

    fn compose_broken(
        &self,
        caller: &Caller,
        request: &Request,
        fault: Fault,
    ) -> Result<Composition, Error> {
        let count = |text: &str| tokens::count(text) as i64;
        let asked = compose::Request {
            budget: request.budget,
            layout: request.layout,
            system: request.system.as_deref().map(|text| Counted::new(text, count(text))),
            format: request.format,
        };
        let reach = Reach { insights: true, ..Reach::default() };
        let (actor, pin) = (caller.actor.clone(), caller.scope.clone());
        let needs = Needs { actor, pin, reach, ..Needs::default() };
        let mut answer = None;
        self.store.read(&caller.vault, &mut |snapshot| {
            let mut state = snapshot.state(&needs)?;
            if let Breaks::Read(edit) = fault.breaks {
                edit(&mut state);
            }
            let mut plan = Plan::new(&state, needs.pin.as_deref(), &asked, self.clock.now())?;
            if let Breaks::Plan(edit) = fault.breaks {
                edit(&mut plan);
            }
            let mut items = gather(snapshot, &state, &plan)?;
            if let Breaks::Items(edit) = fault.breaks {
                edit(&mut items);
            }
            let composed = compose::compose(&state, &plan, &items, caller.expect_head, &count);
            answer = Some(composed?);
            Ok(())
        })?;
        Ok(answer.unwrap())
    }
}
