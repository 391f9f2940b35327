import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TFunction } from 'i18next';
import { actorText } from './actor-text.ts';

const t = ((key: string, values?: object) =>
  [key, ...Object.values(values ?? {})].join(' ')) as unknown as TFunction<'vault'>;

test('actorText names the credential of one’s own changes, and other people with what acted for them', () => {
  const others = { kind: 'session', name: '', user_id: '0' };
  for (const [actor, text] of [
    [{ kind: 'session', name: 'Firefox' }, 'history.you'],
    [{ kind: 'api_key', name: 'Script' }, 'Script'],
    [{ kind: 'oauth', name: 'Helper', client: 'claude-code' }, 'claude-code'],
    [{ ...others, display_name: 'Mira' }, 'Mira'],
    [{ ...others, display_name: 'Mira', client: 'claude-code' }, 'shared.program Mira claude-code'],
    [{ ...others, display_name: null }, 'shared.noName'],
  ] as const) {
    assert.equal(actorText(t, actor), text);
  }
});
