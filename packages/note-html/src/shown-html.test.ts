import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isShownHtml } from './shown-html.ts';

test('HTML of known tags that end is shown', () => {
  for (const source of [
    '<details open>\n<summary>More</summary>\nText<br>\n</details>',
    '<div dir="rtl"><b>x</b></div>',
    '<p align="center"><img src="a.png" alt="A" width="10"></p>',
    '<TABLE><tr><td colspan="2">x</td></tr></TABLE>',
  ]) {
    assert.ok(isShownHtml(source), source);
  }
});

test('HTML with other tags, without ends or in a wrong order stays text', () => {
  for (const source of [
    '<script>x</script>',
    '<div><img src=x onerror=x()></div>',
    '<div><video src=x></video></div>',
    '<details>',
    '</details>',
    '<b><i>x</b></i>',
    '<div <b>x</b>',
    '<style>x</style>',
    '<p>1 < 2</p>',
    '<p onclick="x()">x</p>',
    '<p title="a"onclick=x()>x</p>',
    '<p/onclick=x()>x</p>',
    `<p>${'x'.repeat(30_000)}</p>`,
  ]) {
    assert.ok(!isShownHtml(source), source);
  }
});
