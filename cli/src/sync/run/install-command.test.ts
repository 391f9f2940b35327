import assert from 'node:assert/strict';
import { it } from 'node:test';
import { serviceFor } from './install-command.ts';

const COMMAND = ['/usr/bin/node', '/opt/notevault/main.js', 'sync', '/home/alice/My "Notes" & 100% $HOME'];
const ID = '0123456789abcdef0123456789abcdef';

it('serviceFor writes a systemd unit of the user that quotes what systemd would expand', () => {
  const { file, text, commands } = serviceFor('linux', '/home/alice', COMMAND, ID);
  assert.equal(file, '/home/alice/.config/systemd/user/notevault-sync-01234567.service');
  const expected =
    'ExecStart="/usr/bin/node" "/opt/notevault/main.js" "sync" "/home/alice/My \\"Notes\\" & 100%% $$HOME"\n';
  assert.ok(text.includes(expected), text);
  assert.deepEqual(commands.at(-1), ['systemctl', '--user', 'enable', '--now', 'notevault-sync-01234567.service']);
});

it('serviceFor writes a launchd agent with escaped arguments', () => {
  const { file, text, commands } = serviceFor('darwin', '/Users/alice', COMMAND, ID);
  assert.equal(file, '/Users/alice/Library/LaunchAgents/net.notevault.notevault-sync-01234567.plist');
  assert.ok(text.includes('<string>/home/alice/My "Notes" &amp; 100% $HOME</string>'), text);
  assert.deepEqual(commands, [['launchctl', 'load', '-w', file]]);
});

it('serviceFor says what to do on other systems', () => {
  assert.throws(() => serviceFor('win32', 'C:\\Users\\alice', COMMAND, ID), /start "notevault sync" with your session/);
});
