import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate, formatDate, insertedPart, splitCursor } from './template.ts';

const values = { title: 'Beans', now: new Date(2026, 2, 7, 9, 5), language: 'en' };

test('a template gets the title, the day and the time', () => {
  assert.equal(fillTemplate('# {{title}}\n{{date}} {{ time }} {{Title}}', values), '# Beans\n2026-03-07 09:05 Beans');
});

test('a template gets dates in forms of its own, in the language of the app', () => {
  assert.equal(fillTemplate('{{date:dddd, D MMMM YYYY}}', values), 'Saturday, 7 March 2026');
  assert.equal(fillTemplate('{{date:D. MMM [um] H.mm}}', { ...values, language: 'de' }), '7. Mär um 9.05');
  assert.equal(formatDate(values.now, 'YY/M/DD HH:mm:ss', 'en'), '26/3/07 09:05:00');
});

test('a template keeps what it does not know, and a title with the characters of a replacement', () => {
  assert.equal(fillTemplate('{{x}} {title} {{date', values), '{{x}} {title} {{date');
  assert.equal(fillTemplate('{{title}}', { ...values, title: '$& {{date}}' }), '$& {{date}}');
});

test('properties of a template are inserted into an empty note only', () => {
  const template = '---\ntags: [a]\n---\n# {{title}}\n';
  assert.equal(insertedPart(template, true), template);
  assert.equal(insertedPart(template, false), '# {{title}}\n');
});

test('the cursor comes to its first mark in a template, and to the end without one', () => {
  assert.deepEqual(splitCursor('# A\n{{cursor}}\n{{ Cursor }}end'), { text: '# A\n\nend', cursor: 4 });
  assert.deepEqual(splitCursor('# A\n'), { text: '# A\n', cursor: 4 });
});
