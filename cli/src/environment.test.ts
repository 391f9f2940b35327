import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readEnvironment } from './environment.ts';

it('readEnvironment puts credentials and state where each system expects them, and XDG variables win', () => {
  const of = (platform: NodeJS.Platform, variables = {}) => {
    const { configFolder, stateFolder } = readEnvironment(variables, platform, '/home/alice');
    return [configFolder, stateFolder];
  };
  assert.deepEqual(of('linux'), ['/home/alice/.config/notevault', '/home/alice/.local/state/notevault']);
  const support = '/home/alice/Library/Application Support/notevault';
  assert.deepEqual(of('darwin'), [support, support]);
  assert.deepEqual(of('linux', { XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: 'relative' }), [
    '/home/alice/.config/notevault',
    '/s/notevault',
  ]);
  const { folderVariables } = readEnvironment(
    { XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: 'relative', A: '/a' },
    'linux',
    '/',
  );
  assert.deepEqual(folderVariables, { XDG_STATE_HOME: '/s' });
  assert.equal(readEnvironment({ NOTEVAULT_TOKEN: '' }, 'linux', '/').token, null);
  assert.equal(readEnvironment({ NOTEVAULT_TOKEN: 'nv_1' }, 'linux', '/').token, 'nv_1');
});
