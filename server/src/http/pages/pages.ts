import { createHash } from 'node:crypto';

/** A piece of a page: markup from our templates, with all values in it escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Html[];

/**
 * Makes markup from a template and escapes its values, so that no user's text becomes markup; values that are pieces of
 * pages are kept.
 */
export function html(markup: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(markup.map((text, index) => text + textOf(parts[index] ?? null)).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map((piece) => piece.text).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes for text and quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1d1f24;--soft:#5a606b;--page:#f4f4f1;--card:#fff;--line:#d5d6d2;--strong:#2f5d50;--on:#fff;--bad:#a32a1d}
@media (prefers-color-scheme:dark){:root{--ink:#e9e9e6;--soft:#a5abb5;--page:#16181b;--card:#1f2226;--line:#3a3e45;--strong:#8fc7b4;--on:#10231d;--bad:#ff9d8f}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:8vh auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{font-size:1.3rem;line-height:1.3;margin:0 0 1rem;overflow-wrap:anywhere}
p{margin:0 0 1rem}
.soft{color:var(--soft);font-size:.9rem}
.bad{color:var(--bad)}
code{overflow-wrap:anywhere;font-size:.85rem}
dl{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;font-size:.9rem}
dt{color:var(--soft)}
dd{margin:0 0 .5rem;overflow-wrap:anywhere}
dd:last-child{margin:0}
fieldset{border:0;margin:0 0 1rem;padding:0}
legend{font-weight:600;padding:0;margin-bottom:.5rem}
label{display:block;font-weight:600;margin-bottom:.25rem}
.row{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 0;border-top:1px solid var(--line)}
.row label{font-weight:400;margin:0;overflow-wrap:anywhere;min-width:0}
input,select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem}
input{width:100%;margin-bottom:1rem}
select{flex:none}
.buttons{display:flex;gap:.75rem;justify-content:flex-end}
button{cursor:pointer}
button.main{background:var(--strong);border-color:var(--strong);color:var(--on);font-weight:600}
button.link{border:0;padding:0;background:none;text-decoration:underline;color:var(--soft)}
:focus-visible{outline:3px solid var(--strong);outline-offset:2px}
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Addresses other than this server to which its forms may lead by redirects, as CSP sources. */
  readonly formTargets?: readonly string[];
}

/** Makes a whole page without script, and headers with a policy that enforces it. */
export function pageOf({ title, body, formTargets = [] }: Page): { body: string; headers: Record<string, string> } {
  const document = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Notevault</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${STYLE_HASH}'`,
    // Browsers also apply this to redirects that follow a form.
    `form-action 'self' ${formTargets.join(' ')}`.trim(),
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  return {
    body: document.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      // With a stricter policy, browsers would send no origin with a form, and the origin is checked.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  };
}

/** What is shown when there is no application to go back to. */
export function errorPage({ error, description }: { error: string; description: string | null }): Page {
  return {
    title: 'This did not work',
    body: html`<h1>This did not work</h1>
<p>${description ?? 'The application sent a request that this server cannot answer.'}</p>
<p class="soft">Go back to the application and begin again. <code>${error}</code></p>`,
  };
}
