//! Converts images and files between formats: the source of their bytes is written differently in
//! each.

use crate::json::{Json, json};

use crate::{Format, ShownBlock};

/// An image or a file that other formats support too.
#[derive(Clone, Debug, PartialEq)]
struct Media {
    kind: MediaKind,
    source: MediaSource,
}

#[derive(Clone, Debug, PartialEq)]
enum MediaKind {
    Image { detail: Option<String> },
    File { name: Option<String> },
}

#[derive(Clone, Debug, PartialEq)]
enum MediaSource {
    Url(String),
    Data {
        media_type: String,
        data: String,
    },
    /// A file stored at OpenAI.
    Id(String),
}

fn text(value: &Json, field: &str) -> Option<String> {
    value.get(field).and_then(Json::as_str).filter(|it| !it.is_empty()).map(str::to_string)
}

/// Converts a block of another format to a part of this one, if both formats support its media.
pub fn carried(block: &ShownBlock<'_>, from: Format, to: Format) -> Option<Json> {
    let part = Json::parse(&block.text).ok().filter(|_| block.instead.is_none())?;
    Media::read(from, &part)?.write(to)
}

impl Media {
    /// Reads a part of its own format. Returns `None` if no other format supports it.
    fn read(format: Format, part: &Json) -> Option<Media> {
        match (format, part.get("type").and_then(Json::as_str)?) {
            (Format::Openai, "image_url") => {
                let image = part.get("image_url")?;
                let kind = MediaKind::Image { detail: text(image, "detail") };
                Some(Media { kind, source: MediaSource::from_url(text(image, "url")?) })
            }
            (Format::Openai, "file") => Media::file(part.get("file")?),
            (Format::Responses, "input_image") => {
                let kind = MediaKind::Image { detail: text(part, "detail") };
                let url = text(part, "image_url").map(MediaSource::from_url);
                let source = url.or_else(|| text(part, "file_id").map(MediaSource::Id))?;
                Some(Media { kind, source })
            }
            (Format::Responses, "input_file") => Media::file(part),
            (Format::Anthropic, "image") => {
                let source = MediaSource::from_anthropic(part.get("source")?)?;
                Some(Media { kind: MediaKind::Image { detail: None }, source })
            }
            (Format::Anthropic, "document") => {
                let source = MediaSource::from_anthropic(part.get("source")?)?;
                Some(Media { kind: MediaKind::File { name: text(part, "title") }, source })
            }
            _ => None,
        }
    }

    /// Reads OpenAI's file: in Chat a nested object, in Responses the part itself.
    fn file(file: &Json) -> Option<Media> {
        let data = text(file, "file_data").map(MediaSource::from_url);
        let url = || text(file, "file_url").map(MediaSource::Url);
        let source = data.or_else(url).or_else(|| text(file, "file_id").map(MediaSource::Id))?;
        Some(Media { kind: MediaKind::File { name: text(file, "filename") }, source })
    }

    /// Writes a part in another format. Returns `None` if the format has no such part.
    fn write(&self, format: Format) -> Option<Json> {
        match (format, &self.kind) {
            (Format::Openai, MediaKind::Image { detail }) => {
                let mut image = json!({"url": self.source.url()?});
                if let Some(detail) = detail {
                    image["detail"] = json!(detail);
                }
                Some(json!({"type": "image_url", "image_url": image}))
            }
            (Format::Openai, MediaKind::File { name }) => {
                let file = match &self.source {
                    MediaSource::Id(id) => json!({"file_id": id}),
                    MediaSource::Data { .. } => {
                        let name = name.as_deref().unwrap_or("file");
                        json!({"filename": name, "file_data": self.source.url()?})
                    }
                    MediaSource::Url(_) => return None,
                };
                Some(json!({"type": "file", "file": file}))
            }
            (Format::Responses, MediaKind::Image { detail }) => {
                let detail = detail.as_deref().unwrap_or("auto");
                Some(match &self.source {
                    MediaSource::Id(id) => {
                        json!({"type": "input_image", "detail": detail, "file_id": id})
                    }
                    source => {
                        json!({"type": "input_image", "detail": detail, "image_url": source.url()?})
                    }
                })
            }
            (Format::Responses, MediaKind::File { name }) => Some(match &self.source {
                MediaSource::Id(id) => json!({"type": "input_file", "file_id": id}),
                MediaSource::Url(url) => json!({"type": "input_file", "file_url": url}),
                MediaSource::Data { .. } => {
                    let name = name.as_deref().unwrap_or("file");
                    json!({"type": "input_file", "filename": name, "file_data": self.source.url()?})
                }
            }),
            (Format::Anthropic, kind) => self.anthropic(kind),
        }
    }

    fn anthropic(&self, kind: &MediaKind) -> Option<Json> {
        const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
        let word = if matches!(kind, MediaKind::Image { .. }) { "image" } else { "document" };
        let source = match &self.source {
            MediaSource::Url(url) => json!({"type": "url", "url": url}),
            MediaSource::Data { media_type, data } => {
                let known = match kind {
                    MediaKind::Image { .. } => IMAGES.contains(&media_type.as_str()),
                    MediaKind::File { .. } => media_type == "application/pdf",
                };
                if !known {
                    return None;
                }
                json!({"type": "base64", "media_type": media_type, "data": data})
            }
            MediaSource::Id(_) => return None,
        };
        Some(json!({"type": word, "source": source}))
    }
}

impl MediaSource {
    /// Reads a URL, which may contain the bytes.
    fn from_url(url: String) -> MediaSource {
        let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match data {
            Some((kind, data)) => {
                MediaSource::Data { media_type: kind.to_string(), data: data.to_string() }
            }
            None => MediaSource::Url(url),
        }
    }

    fn from_anthropic(source: &Json) -> Option<MediaSource> {
        match source.get("type").and_then(Json::as_str)? {
            "base64" => Some(MediaSource::Data {
                media_type: text(source, "media_type")?,
                data: text(source, "data")?,
            }),
            "url" => text(source, "url").map(MediaSource::Url),
            _ => None,
        }
    }

    fn url(&self) -> Option<String> {
        match self {
            MediaSource::Url(url) => Some(url.clone()),
            MediaSource::Data { media_type, data } => {
                Some(format!("data:{media_type};base64,{data}"))
            }
            MediaSource::Id(_) => None,
        }
    }
}
