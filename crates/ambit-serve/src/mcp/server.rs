//! The server: handles the requests of a client. Calls run one after another in order of arrival: a
//! client may send a call before it has the answer to the previous one. The engine runs on a thread
//! of the blocking pool.

use std::sync::Arc;

use ambit::Kind;
use ambit_verbs::{Envelope, Erased, Failure, Interface, Session, guarded, word};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::identity::Identity;
use super::pipes::SpeltArguments;
use super::tools::{self, Offered};
use super::{prompts, resources};

/// What a client may tell its model about this server as a whole.
const INSTRUCTIONS: &str = "Ambit keeps your work in scopes, so that your context stays small. \
Open a scope before a sub-task, note what you find, and go back with a note of the result. After \
an interruption, `where` and `compose` tell you how things stand.";

/// The methods with parameters that are answered here.
const METHODS: [&str; 7] = [
    "initialize",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

pub struct Server {
    parts: Arc<Parts>,
}

struct Parts {
    identity: Identity,
    tools: Vec<tools::Tool>,
    /// One call at a time, first come, first served.
    turn: Arc<Mutex<()>>,
}

type Asked = RequestContext<RoleServer>;

impl Server {
    pub fn new(identity: Identity, offered: Offered) -> Server {
        let parts = Parts { identity, tools: tools::all(offered), turn: Arc::default() };
        Server { parts: Arc::new(parts) }
    }

    /// Runs a call on the engine.
    async fn done<T: Send + 'static>(
        &self,
        asked: &Asked,
        work: impl FnOnce(&Parts, &Session) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.in_turn(asked, true, work).await
    }

    /// Queues some work and runs it, even if the client no longer waits for it.
    async fn in_turn<T: Send + 'static>(
        &self,
        asked: &Asked,
        stored: bool,
        work: impl FnOnce(&Parts, &Session) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let client = asked.client_info().map(|client| client.name);
        let parts = self.parts.clone();
        let turn = parts.turn.clone().lock_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            guarded(|| match stored {
                true => work(&parts, &parts.identity.session(client.as_deref())?),
                false => work(&parts, &parts.identity.without_store()),
            })
        });
        done.await.unwrap_or_else(|error| {
            let hint = "repeat the call, with the same key if it had one";
            Err(Failure::new(Kind::Bug, format!("the call was interrupted: {error}"), hint))
        })
    }

    /// Returns the actor of a call, otherwise the client's actor.
    fn actor(&self, actor: Option<String>) -> Option<String> {
        actor.or_else(|| self.parts.identity.actor())
    }

    fn succeeded(&self, output: &Erased, actor: Option<String>) -> CallToolResult {
        let text = ContentBlock::text(output.plain_text());
        let mut answer = CallToolResult::success(vec![text]);
        let envelope = Envelope::result(self.actor(actor).as_deref(), &output.answer).to_value();
        answer.structured_content = Some(envelope);
        answer
    }

    fn failed(&self, failure: &Failure, actor: Option<String>) -> CallToolResult {
        let (message, hint) = (&failure.message, failure.hint(Interface::Mcp));
        let text = format!("{} error: {message}\nhint: {hint}", word(failure.kind));
        let mut answer = CallToolResult::error(vec![ContentBlock::text(text)]);
        let actor = self.actor(actor);
        let envelope = Envelope::error(actor.as_deref(), failure, Interface::Mcp).to_value();
        answer.structured_content = Some(envelope);
        answer
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder();
        let offered = offered.enable_tools().enable_resources().enable_prompts().build();
        let me = Implementation::new("ambit", env!("CARGO_PKG_VERSION")).with_title("Ambit");
        ServerConfig::new(offered).with_server_info(me).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Asked,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.parts.tools.iter().map(|tool| tool.listed()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.parts.tools.iter().find(|tool| tool.name == name).map(|tool| tool.listed())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        asked: Asked,
    ) -> Result<CallToolResponse, ErrorData> {
        let known = |tool: &tools::Tool| tool.name == request.name;
        let Some(index) = self.parts.tools.iter().position(known) else {
            let why = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(why, None));
        };
        let arguments = match asked.extensions.get::<SpeltArguments>() {
            Some(SpeltArguments(text)) => text.clone(),
            None => Value::Object(request.arguments.unwrap_or_default()).to_string(),
        };
        let stored = self.parts.tools[index].needs_store();
        let done = self.in_turn(&asked, stored, move |parts, session| {
            Ok(parts.tools[index].run(&arguments, session))
        });
        let answer = match done.await {
            Ok((Ok(output), actor)) => self.succeeded(&output, actor),
            Ok((Err(failure), actor)) => self.failed(&failure, actor),
            Err(failure) => self.failed(&failure, None),
        };
        Ok(answer.into())
    }

    /// Answers unknown methods, and known methods with malformed parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Asked,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match METHODS.contains(&method.as_str()) {
            true => ErrorData::invalid_params(
                format!("the parameters of {method} are not as the protocol asks"),
                None,
            ),
            false => {
                let why = format!("there is no method {method:?}");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
            }
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        asked: Asked,
    ) -> Result<ListResourcesResult, ErrorData> {
        // Without a store there are no scopes; the other resources are still listed.
        let scopes = self.done(&asked, |_, session| resources::scopes(session)).await;
        Ok(ListResourcesResult::with_all_items(resources::all(&scopes.unwrap_or_default())))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Asked,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        asked: Asked,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.done(&asked, move |_, session| resources::read(session, &uri)).await;
        let read = read.map_err(|failure| {
            let mut error = protocol_error(&failure);
            // The protocol prescribes this name.
            if let Some(data) = error.data.as_mut() {
                data["uri"] = request.uri.into();
            }
            error
        });
        Ok(read?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Asked,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        asked: Asked,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = prompts::find(&request.name) else {
            let why = format!("there is no prompt {:?}", request.name);
            return Err(ErrorData::invalid_params(why, None));
        };
        let got = self.done(&asked, move |_, session| prompt.get(session)).await;
        Ok(got.map_err(|failure| protocol_error(&failure))?.into())
    }
}

/// Returns a failure as an error of the protocol.
fn protocol_error(failure: &Failure) -> ErrorData {
    let Failure { kind, message, .. } = failure;
    let data = Some(json!({"code": kind, "hint": failure.hint(Interface::Mcp)}));
    match kind {
        Kind::NotFound => ErrorData::resource_not_found(message.clone(), data),
        Kind::Usage => ErrorData::invalid_params(message.clone(), data),
        _ => ErrorData::internal_error(message.clone(), data),
    }
}
