import assert from 'node:assert/strict';
import { it } from 'node:test';
import { warningsOf } from '../../src/shell/warnings.ts';
import { en } from '../../src/texts/en.ts';
import { StandInApp } from '../stand-in/app.ts';
import { Device } from '../stand-in/device.ts';

/** Returns an app whose vault is in a folder of the system. @param origin of the page’s files */
function appIn(origin: string, folder: string): StandInApp {
  const app = new StandInApp(new Device());
  app.vault.adapter.getResourcePath = (path) => `${origin}${encodeURI(`${folder}/${path}`)}?1`;
  return app;
}

it('the plugin warns of a vault in iCloud on a Mac and on an iPhone, and of no other folder', async () => {
  const iCloud = 'Library/Mobile Documents/iCloud~md~obsidian/Documents/notes';
  const warningsIn = (origin: string, folder: string) => warningsOf(appIn(origin, folder).asApp);
  assert.deepEqual(await warningsIn('app://1a2b', `/Users/alice/${iCloud}`), [en.besideCloud]);
  const ofFiles = 'capacitor://localhost/_capacitor_file_';
  assert.deepEqual(await warningsIn(ofFiles, `/private/var/mobile/${iCloud}`), [en.besideCloud]);
  assert.deepEqual(await warningsIn(ofFiles, '/private/var/mobile/Containers/Documents/notes'), []);
});

it('the plugin warns of Obsidian Sync on the same vault, whichever shape the list of core plugins has', async () => {
  for (const [list, warnings] of [
    ['["file-explorer","sync"]', [en.besideSync]],
    ['{"file-explorer":true,"sync":true}', [en.besideSync]],
    ['{"file-explorer":true,"sync":false}', []],
    ['["file-explorer"]', []],
  ] as const) {
    const app = appIn('app://1a2b', '/home/alice/notes');
    await app.vault.adapter.mkdir('.obsidian');
    await app.vault.adapter.write('.obsidian/core-plugins.json', list);
    assert.deepEqual(await warningsOf(app.asApp), warnings, list);
  }
});
