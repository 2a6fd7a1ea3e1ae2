//! The list of Anthropic's rules.

use super::super::Rule;

pub const RULES: &[Rule] = &[
    Rule {
        id: "shape",
        says: "`messages` is a list of objects.",
        hint: "give {\"messages\": [{\"role\": \"user\", \"content\": \"…\"}]}",
    },
    Rule { id: "empty", says: "There is at least one message.", hint: "add a user message" },
    Rule {
        id: "too-many",
        says: "There are at most 100,000 messages.",
        hint: "leave out or summarise old messages",
    },
    Rule {
        id: "role",
        says: "A role is user or assistant.",
        hint: "put instructions into `system`; few models take them among the messages",
    },
    Rule {
        id: "first-role",
        says: "The first message is the user's.",
        hint: "begin with a user message",
    },
    Rule {
        id: "system",
        says: "`system` is a string or a list of text blocks.",
        hint: "give a string, or [{\"type\": \"text\", \"text\": \"…\"}]",
    },
    Rule {
        id: "content",
        says: "Content is a string or a list of blocks, and empty only in a last message of the \
               assistant.",
        hint: "leave the message out",
    },
    Rule {
        id: "block-type",
        says: "A block is an object whose type the API knows.",
        hint: "say it in a text block; parts of other formats have other names here",
    },
    Rule {
        id: "block-role",
        says: "tool_use, thinking and what servers ran are the assistant's; tool_result, images, \
               documents and search results the user's.",
        hint: "move the block into a message of the right role, or say it in text",
    },
    Rule {
        id: "block-shape",
        says: "A block has the fields that its type requires.",
        hint: "see the block's type in the API reference",
    },
    Rule {
        id: "empty-text",
        says: "A text is not empty, nor white space alone.",
        hint: "leave the block out",
    },
    Rule {
        id: "trailing-space",
        says: "A last message of the assistant does not end with white space.",
        hint: "trim its end",
    },
    Rule {
        id: "source",
        says: "An image or a document has a source of a known type with its fields: base64 with \
               media_type and data, url, file with file_id; for documents text and content too.",
        hint: "see `source` in the API reference",
    },
    Rule {
        id: "call-id",
        says: "A tool_use has an id of letters, digits, underscores and dashes.",
        hint: "give the call, and its result, another id",
    },
    Rule {
        id: "call-name",
        says: "A tool's name has 1 to 128 letters, digits, underscores and dashes.",
        hint: "rename the tool",
    },
    Rule {
        id: "call-input",
        says: "A tool_use's input is an object.",
        hint: "give the arguments as an object, not as a string of JSON",
    },
    Rule {
        id: "call-twice",
        says: "No two tool_use blocks have the same id.",
        hint: "give each call a distinct id",
    },
    Rule {
        id: "unanswered",
        says: "Every tool_use has its tool_result in the very next message.",
        hint: "add the missing result, or take the call out",
    },
    Rule {
        id: "orphan-result",
        says: "A tool_result answers a tool_use of the message right before.",
        hint: "put it into the message directly after its call, or say it in text",
    },
    Rule {
        id: "answered-twice",
        says: "Each tool_use has one tool_result.",
        hint: "leave out all results but one",
    },
    Rule {
        id: "results-first",
        says: "Results come before all other blocks of their message.",
        hint: "move the other blocks after the results",
    },
    Rule {
        id: "result-content",
        says: "A result's content is a string or a list of text, image, document, search_result \
               and tool_reference blocks.",
        hint: "say it in text",
    },
    Rule {
        id: "error-content",
        says: "A result with is_error holds text alone.",
        hint: "leave the images out, or is_error",
    },
    Rule {
        id: "thinking-shape",
        says: "A thinking block has thinking and a signature, a redacted one has data.",
        hint: "send thinking back as it came, or leave it out",
    },
    Rule {
        id: "thinking-first",
        says: "A message that holds thinking begins with it.",
        hint: "keep the blocks in the order in which the model gave them",
    },
    Rule {
        id: "thinking-last",
        says: "A message of the assistant does not end with thinking.",
        hint: "leave the thinking out where what follows it is left out",
    },
    Rule {
        id: "thinking-missing",
        says: "Where `thinking` is enabled, a tool loop that is still open begins with thinking.",
        hint: "send the thinking of that turn back, or disable `thinking`",
    },
    Rule {
        id: "cache-shape",
        says: "cache_control is {\"type\": \"ephemeral\"}, with a ttl of 5m or 1h or none.",
        hint: "use {\"type\": \"ephemeral\"}",
    },
    Rule {
        id: "cache-many",
        says: "There are at most four cache markers in tools, system and messages together.",
        hint: "keep the four that matter",
    },
    Rule {
        id: "cache-where",
        says: "Neither thinking nor an empty text has a cache marker.",
        hint: "mark the block before or after",
    },
    Rule {
        id: "cache-order",
        says: "Markers of one hour come before those of five minutes, in the order tools, system, \
               messages.",
        hint: "use one ttl, or move the longer one to the front",
    },
];
