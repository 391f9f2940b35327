import { createHash } from 'node:crypto';
import type { PageLanguage } from './page-language.ts';
import { pageTexts } from './page-texts.ts';

/** Style of the pages: that of the web app, with its colours for light and dark, without loading any of its files. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:light-dark(#fdfcfa,#1c1b19);--raised:light-dark(#ffffff,#262420);--sunken:light-dark(#f3f0ea,#23211e);--text:light-dark(#211e19,#ebe7df);--muted:light-dark(#544e45,#b8b1a6);--border:light-dark(#8a8274,#7d776c);--hairline:light-dark(#e8e3da,#302d28);--line:light-dark(#d8d1c4,#423e37);--accent:light-dark(#0b6b62,#5fc7b6);--accent-ink:light-dark(#0b6b62,#7ad3c4);--underline:light-dark(#4f958b,#45897f);--on-accent:light-dark(#ffffff,#0e1f1c);--danger:light-dark(#b3372b,#f0897d);--danger-soft:light-dark(#fbebe8,#352320)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;padding:max(8dvh,32px) 16px 32px;background:var(--page);color:var(--text);font:14px/1.45 Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans","Liberation Sans",sans-serif;overflow-wrap:break-word;-webkit-text-size-adjust:100%}
header{display:flex;align-items:center;gap:10px;width:min(100%,24rem);margin:0 auto 22px;font-size:15px;font-weight:650}
header svg{width:26px;height:26px}
main{width:min(100%,24rem);margin:0 auto}
h1{font-size:26px;font-weight:670;letter-spacing:-.02em;line-height:1.25;margin:0 0 12px;overflow-wrap:anywhere;text-wrap:balance}
p{margin:0 0 16px}
.soft{color:var(--muted);font-size:13px}
.bad{color:var(--danger)}
p.bad{padding:10px 14px;border-radius:10px;background:var(--danger-soft)}
code{overflow-wrap:anywhere;font-size:.92em}
dl{margin:0 0 16px;padding:12px 16px;border-radius:10px;background:var(--sunken);font-size:13px}
dt{color:var(--muted)}
dd{margin:0 0 8px;overflow-wrap:anywhere}
dd:last-child{margin:0}
fieldset{border:0;margin:0 0 16px;padding:0;min-width:0}
legend{font-weight:550;padding:0;margin-bottom:4px}
label{display:block;font-size:13px;font-weight:550;margin-bottom:5px}
.row{display:flex;align-items:center;justify-content:space-between;gap:16px;padding:8px 0;border-top:1px solid var(--hairline)}
.row label{font-size:14px;font-weight:400;margin:0;overflow-wrap:anywhere;min-width:0}
input,select,button{font:inherit;color:inherit;min-height:40px;padding:4px 12px;background:var(--raised);border:1px solid var(--border);border-radius:9px}
input{width:100%;margin-bottom:16px}
select{flex:none;max-width:60%}
.buttons{display:flex;flex-wrap:wrap;gap:8px;justify-content:flex-end;margin-bottom:16px}
.buttons:last-child,p:last-child{margin-bottom:0}
button{cursor:pointer;padding:4px 16px;border-color:var(--line);font-weight:550}
form+p{margin-top:16px}
button:hover{border-color:var(--border)}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.link{min-height:24px;border:0;padding:0;background:none;font-weight:400}
a,button.link{text-decoration:underline var(--underline) 1.5px;text-underline-offset:3px;color:var(--accent-ink)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (pointer:coarse){input,select,button{min-height:44px}input,select{font-size:16px}}
`;

/** The mark of the app, which a page without any address to load from can show. */
export const MARK =
  '<svg viewBox="0 0 64 64" aria-hidden="true"><linearGradient id="tile" x1=".2" y1="0" x2=".8" y2="1"><stop stop-color="#117d70"/><stop offset="1" stop-color="#0a5a63"/></linearGradient><rect width="64" height="64" rx="17" fill="url(#tile)"/><path d="M18 46V18h4.6l18.8 20.4V18H46v28h-4.6L22.6 25.6V46z" fill="#fcfcfc"/></svg>';

/** A piece of a page: markup from our templates, with all values in it escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Html[];

/**
 * Escapes the values of a template, so that no user's text becomes markup; pieces of pages are inserted as they are.
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

/** Escapes a value for text and quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');

export interface Page {
  readonly language: PageLanguage;
  readonly title: string;
  readonly body: Html;
  /** Addresses other than this server to which its forms may lead by redirects, as CSP sources. */
  readonly formTargets?: readonly string[];
}

/** Makes a whole page without script, and headers with a policy that enforces it. */
export function pageOf({ language, title, body, formTargets = [] }: Page): {
  body: string;
  headers: Record<string, string>;
} {
  const document = html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Notevault</title>
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<header>${new Html(MARK)}<span>Notevault</span></header>
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

/** The explanation of an error: a text in the language of the page, or one that exists in English only. */
export type Explanation = string | { readonly english: string } | null;

/** Returns the page that is shown when there is no application to return to. */
export function errorPage(language: PageLanguage, error: string, explanation: Explanation): Page {
  const t = pageTexts[language];
  const text =
    explanation !== null && typeof explanation === 'object'
      ? html`<p lang="en">${explanation.english}</p>`
      : html`<p>${explanation ?? t.unknown}</p>`;
  return {
    language,
    title: t.failed,
    body: html`<h1>${t.failed}</h1>
${text}
<p class="soft">${t.beginAgain} <code>${error}</code></p>`,
  };
}

/** An explained error above a form, which screen readers announce; nothing for null. */
export function faultOf(fault: string | null): Html {
  return fault === null ? html`` : html`<p class="bad" role="alert">${fault}</p>`;
}
