import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { html, MARK, PAGE_STYLE, pageOf } from './pages.ts';

test('html escapes values wherever they are, and keeps pieces of pages as they are', () => {
  const hostile = `</p><script>alert("1")</script>'\`&amp;`;
  const piece = html`<b title="${hostile}">${hostile}</b>`;
  const shown = '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&#96;&amp;amp;';
  assert.equal(piece.text, `<b title="${shown}">${shown}</b>`);
  assert.equal(html`<p>${piece}${[piece, piece]}${null}${7}</p>`.text, `<p>${piece.text.repeat(3)}7</p>`);
});

test('pageOf lists in the policy of a page where its forms may lead', () => {
  const policyOf = (formTargets?: string[]) =>
    pageOf({
      language: 'en',
      title: '<x>',
      body: html`<p>x</p>`,
      ...(formTargets === undefined ? {} : { formTargets }),
    });
  assert.match(policyOf().headers['content-security-policy'] ?? '', /; form-action 'self'; /);
  assert.match(
    policyOf(['https://a.example']).headers['content-security-policy'] ?? '',
    /'self' https:\/\/a\.example; /,
  );
  assert.ok(policyOf().body.includes('<title>&lt;x&gt; · Notevault</title>'));
});

test('the pages have the colours and the mark of the web app', () => {
  const web = (path: string) => readFileSync(new URL(`../../../../web/${path}`, import.meta.url), 'utf8');
  const colours = (css: string) =>
    new Map(
      [...css.matchAll(/--([\w-]+): ?light-dark\((#\w+), ?(#\w+)\)/g)].map(([, name = '', ...pair]) => [name, pair]),
    );
  const ofApp = colours(web('src/ui/styles/tokens.css'));
  const ofPages = [...colours(PAGE_STYLE)];
  assert.equal(ofPages.length, 14);
  for (const [name, pair] of ofPages) assert.deepEqual(pair, ofApp.get(name), name);
  const [outline] = /M18 46[^"]+/.exec(web('public/icon.svg')) ?? [];
  assert.ok(MARK.includes(outline ?? 'no outline'));
});
