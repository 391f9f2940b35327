import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
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

it('serviceFor gives a service the variables that name the folders of login and state', () => {
  const variables = { XDG_CONFIG_HOME: '/etc/my "conf" 5%$x' };
  const unit = serviceFor('linux', '/home/alice', COMMAND, ID, variables).text;
  assert.deepEqual(unit.match(/^Environment=.*$/gm), ['Environment="XDG_CONFIG_HOME=/etc/my \\"conf\\" 5%%$x"']);
  const agent = serviceFor('darwin', '/Users/alice', COMMAND, ID, variables).text;
  assert.match(agent, /<key>EnvironmentVariables<\/key>\n {2}<dict>\n {4}<key>XDG_CONFIG_HOME<\/key>/);
});

it('serviceFor writes a launchd agent with escaped arguments', () => {
  const { file, text, commands } = serviceFor('darwin', '/Users/alice', COMMAND, ID);
  assert.equal(file, '/Users/alice/Library/LaunchAgents/net.notevault.notevault-sync-01234567.plist');
  assert.ok(text.includes('<string>/home/alice/My "Notes" &amp; 100% $HOME</string>'), text);
  assert.deepEqual(commands, [['launchctl', 'load', '-w', file]]);
});

/** Why a program of the system cannot check a file; false if it can. */
const without = (program: string) =>
  spawnSync(program, ['--version']).error === undefined ? false : `${program} is not on this machine`;
const AWKWARD = '/home/alice/"My" \'notes\' & <100%> $HOME $x %h \\ \n über';

it('serviceFor writes a unit that systemd accepts, for any name of a folder', {
  skip: without('systemd-analyze'),
}, () => {
  using folder = new Folder();
  // systemd looks at the program too.
  const main = join(import.meta.dirname, '../../main.ts');
  const command = [process.execPath, main, 'sync', AWKWARD];
  const { file, text } = serviceFor('linux', '/home/alice', command, ID, { XDG_STATE_HOME: AWKWARD });
  const unit = folder.at(basename(file));
  writeFileSync(unit, text);
  const env = { PATH: process.env.PATH, HOME: folder.path, XDG_RUNTIME_DIR: folder.path };
  const { status, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', unit], { encoding: 'utf8', env });
  assert.deepEqual([status, stderr], [0, '']);
});

it('serviceFor writes a property list that starts the command, for any name of a folder', {
  skip: without('python3'),
}, () => {
  const command = [process.execPath, 'main.js', 'sync', AWKWARD];
  const { text } = serviceFor('darwin', '/Users/alice', command, ID, { XDG_STATE_HOME: AWKWARD });
  const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: text, encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(JSON.parse(stdout), {
    Label: 'net.notevault.notevault-sync-01234567',
    ProgramArguments: [...command, '--launchd'],
    EnvironmentVariables: { XDG_STATE_HOME: AWKWARD },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 60,
  });
});

it('serviceFor says what to do on other systems', () => {
  assert.throws(() => serviceFor('win32', 'C:\\Users\\alice', COMMAND, ID), /start "notevault sync" at login/);
});
