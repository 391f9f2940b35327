import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PEOPLE } from '../../platform/people.ts';
import { othersPresent, personOf, presenceOf } from './presence.ts';

const NONE = 'No name';
const mira = { user_id: 'mira', display_name: 'Mira', kind: 'session' };

test('personOf believes the server, and what a client says of itself only where the server says nothing', () => {
  const lie = { user: { name: 'Anna', color: 'url(x)' }, actor: mira };
  assert.deepEqual([personOf(1, lie, NONE)?.name, personOf(1, lie, NONE)?.id], ['Mira', 'mira']);
  assert.equal(personOf(1, { user: presenceOf('Anna', 1) }, NONE)?.name, 'Anna');
  assert.equal(personOf(1, { user: { name: 'Anna', color: 'url(x)' } }, NONE), null);
  const nameless = { ...mira, display_name: null };
  assert.equal(personOf(1, { actor: nameless, user: presenceOf('Anna', 1) }, NONE)?.name, NONE);
  for (const state of [null, {}, { user: 1 }, { actor: { user_id: 1 } }]) assert.equal(personOf(1, state, NONE), null);
});

test('othersPresent names each person once, whatever windows they have, and not this one', () => {
  const windows: [number, unknown][] = [
    [1, { actor: { ...mira, user_id: 'me' } }],
    [2, { actor: mira }],
    [3, { actor: mira }],
    [4, { user: presenceOf('Jonas', 4) }],
  ];
  const people = othersPresent({ getStates: () => new Map(windows) }, 1, NONE);
  assert.deepEqual(
    people.map(({ name }) => name),
    ['Mira', 'Jonas'],
  );
  assert.ok(people.every(({ color }) => (PEOPLE as readonly string[]).includes(color)));
});
