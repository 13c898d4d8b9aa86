use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element of an XML document, enough of it to check a report's structure.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    /// The root of a well-formed document.
    pub(crate) fn parse(xml: &str) -> Self {
        let mut reader = Reader::from_str(xml);
        let mut open = vec![Self::default()];
        loop {
            match reader.read_event().expect("is well-formed") {
                Event::Start(tag) => open.push(Self::from_tag(&tag)),
                Event::Empty(tag) => last(&mut open).children.push(Self::from_tag(&tag)),
                Event::End(_) => {
                    let closed = open.pop().expect("an element is open");
                    last(&mut open).children.push(closed);
                }
                Event::Text(text) => {
                    last(&mut open).text.push_str(&text.decode().expect("is UTF-8"));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let mut document = open.pop().expect("the document");
        assert_eq!(document.children.len(), 1, "one root");
        document.children.remove(0)
    }

    fn from_tag(tag: &BytesStart<'_>) -> Self {
        let attributes = tag.attributes().map(|attribute| {
            let attribute = attribute.expect("a well-formed attribute");
            let value = quick_xml::escape::unescape(
                std::str::from_utf8(&attribute.value).expect("is UTF-8"),
            )
            .expect("known entities")
            .into_owned();
            (String::from_utf8(attribute.key.0.to_vec()).expect("is UTF-8"), value)
        });
        Self {
            name: String::from_utf8(tag.name().0.to_vec()).expect("is UTF-8"),
            attributes: attributes.collect(),
            ..Self::default()
        }
    }

    /// The value of an attribute that must be there.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("<{}> lacks {name}", self.name)).1
    }

    /// The children of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

fn last(open: &mut [Element]) -> &mut Element {
    open.last_mut().expect("the document stays open")
}
