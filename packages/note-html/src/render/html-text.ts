const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, as content and as a quoted attribute. NUL, which HTML cannot have, is replaced. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '').replaceAll('\0', '\ufffd');
}

type Attributes = Readonly<Record<string, string | number | true | null | undefined>>;

/**
 * Returns an opening tag. An attribute that is null or undefined is left out; names and `name` are those of our code.
 */
export function openTag(name: string, attributes: Attributes = {}): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === null || value === undefined) return '';
    return value === true ? ` ${key}` : ` ${key}="${escapeHtml(String(value))}"`;
  });
  return `<${name}${written.join('')}>`;
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
