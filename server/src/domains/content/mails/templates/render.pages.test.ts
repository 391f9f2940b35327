import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_LANGUAGES } from '../../../../http/pages/page-language.ts';
import { mailKinds } from './kinds.ts';
import { renderMail } from './render.pages.ts';

const publicUrl = 'https://notes.example.org';
const link = `${publicUrl}/#confirm=nv_cnf_token`;
const values = { by: 'Bob', at: '2026-11-29 12:00 UTC', address: '192.0.2.1', program: 'Firefox', name: 'Laptop' };

test('every mail fills in all values, in each language, as text and as HTML', () => {
  for (const language of PAGE_LANGUAGES) {
    for (const kind of mailKinds) {
      const links = ['confirm', 'reset', 'invitation'].includes(kind);
      const mail = renderMail(kind, links ? { ...values, link } : values, {
        to: 'alice@example.org',
        locale: language,
        publicUrl,
      });
      assert.match(mail.subject, /notes\.example\.org/);
      for (const text of [mail.subject, mail.text]) assert.doesNotMatch(text, /[{}]/);
      assert.ok(mail.html.includes(`<html lang="${language}">`));
      assert.deepEqual([mail.text.includes(link), mail.html.includes(`href="${link}"`)], [links, links], kind);
    }
  }
});

test('a name in a mail is neither markup nor a placeholder, and breaks no header', () => {
  const by = '<b>Bob</b> {link}\r\nBcc: mallory@example.org';
  const mail = renderMail('invitation', { ...values, link, by }, { to: 'alice@example.org', locale: 'en', publicUrl });
  assert.ok(mail.html.includes('&lt;b&gt;Bob&lt;/b&gt; {link}'));
  assert.doesNotMatch(mail.subject, /[\r\n]/);
});
