const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
};

/** Escapes a text for HTML, as content and as a quoted attribute. NUL, which HTML cannot have, is replaced. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => ESCAPES[character] ?? '');
}

type Attributes = Readonly<Record<string, string | number | true | null | undefined>>;

/**
 * Returns an opening tag. An attribute that is null or undefined is left out; names and `name` are those of our code.
 */
export function openTag(name: string, attributes: Attributes = {}): string {
  let tag = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    tag += value === true ? ` ${key}` : ` ${key}="${escapeHtml(String(value))}"`;
  }
  return `${tag}>`;
}

/** Returns an element that contains a text. */
export function textElement(name: string, attributes: Attributes, text: string): string {
  return `${openTag(name, attributes)}${escapeHtml(text)}</${name}>`;
}

/**
 * Returns the attributes of a link out of a page. The address of the page, which is a secret, is not told to where it
 * leads.
 */
export function webAttributes(url: string): { readonly href: string; readonly rel: string } {
  return { href: url, rel: 'noopener noreferrer nofollow' };
}
