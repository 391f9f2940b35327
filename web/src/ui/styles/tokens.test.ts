import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PEOPLE } from '../../platform/people.ts';

const source = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

function tokensOf(theme: Theme): Map<string, string> {
  const pairs = source.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
  return new Map([...pairs].map(([, name = '', light = '', dark = '']) => [name, theme === 'light' ? light : dark]));
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const SURFACES = ['page', 'panel', 'raised', 'sunken'];
const SOFT = ['accent-soft', 'danger-soft', 'ok-soft', 'warn-soft', 'info-soft', 'added', 'removed'];
/** Pairs of tokens that are read or recognised on each other, with their minimum contrast. */
const RULES: readonly { readonly of: string[]; readonly on: string[]; readonly least: number }[] = [
  { of: ['text', 'muted', 'faint', 'accent-ink', 'danger', 'ok', 'warn', 'info'], on: SURFACES, least: 4.5 },
  { of: ['text', 'muted'], on: SOFT, least: 4.5 },
  { of: ['accent-ink', 'faint'], on: ['accent-soft'], least: 4.5 },
  { of: ['danger'], on: ['danger-soft'], least: 4.5 },
  { of: ['ok'], on: ['ok-soft'], least: 4.5 },
  { of: ['warn'], on: ['warn-soft'], least: 4.5 },
  { of: ['info'], on: ['info-soft'], least: 4.5 },
  { of: ['accent-ink'], on: ['info-soft', 'warn-soft', 'ok-soft', 'danger-soft'], least: 4.5 },
  { of: ['border', 'accent', 'underline', 'node'], on: SURFACES, least: 3 },
  // Boxes of tasks in callouts, and the ring of the focus.
  { of: ['border', 'accent'], on: SOFT.slice(0, 5), least: 3 },
  { of: ['edge'], on: ['page'], least: 1.4 },
  { of: ['on-accent'], on: ['accent'], least: 4.5 },
  { of: ['text', 'muted', 'accent-ink'], on: ['selection'], least: 4.5 },
  { of: ['text'], on: ['highlight'], least: 4.5 },
  // Messages are paper on ink.
  { of: ['page'], on: ['text'], least: 7 },
];

for (const theme of themes) {
  test(`the ${theme} colours have the contrast that WCAG 2.2 AA asks for`, () => {
    const tokens = tokensOf(theme);
    const colour = (name: string) => tokens.get(name) ?? assert.fail(`there is no colour ${name}`);
    for (const { of, on, least } of RULES) {
      for (const front of of) {
        for (const back of on) {
          const ratio = contrast(colour(front), colour(back));
          assert.ok(ratio >= least, `${front} on ${back}: ${ratio.toFixed(2)}, under ${least}`);
        }
      }
    }
  });
}

test('white is read on the colour of each person, and the colour is seen on both pages', () => {
  for (const color of PEOPLE) {
    assert.ok(contrast('#ffffff', color) >= 4.5, `white on ${color}`);
    for (const theme of themes)
      assert.ok(contrast(color, tokensOf(theme).get('page') ?? '') >= 3, `${color}, ${theme}`);
  }
});

test('contrast is that of black on white for the extremes, in either order', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#ffffff', '#000000'), 21);
});
