import { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import { fileOf, sha256, uploadRaw } from '../kit/content/files.ts';
import { type Answer, Caller } from '../kit/person.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import { tokenOf } from '../kit/shared-vault.ts';
import { codeAt } from '../kit/totp.ts';

/** The contents of a data set, as a later version must find them. */
export interface Contents {
  readonly email: string;
  readonly password: string;
  /** A personal access token that may read everything. */
  readonly token: string;
  readonly vaults: readonly VaultContents[];
  /** A member of the last vault; since 0.3.0. */
  readonly member?: MemberContents;
  /** A public link to a note of the last vault; since 0.3.0. */
  readonly publicLink?: { readonly path: string; readonly heading: string };
}

export interface MemberContents {
  readonly email: string;
  readonly password: string;
  /** A code for a sign-in without the authenticator app, which can be used once. */
  readonly recoveryCode: string;
}

export interface VaultContents {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of each text, by path. */
  readonly notes: Readonly<Record<string, string>>;
  /** SHA-256 of each file, by path. */
  readonly attachments: Readonly<Record<string, string>>;
  /** Texts of the earlier versions of a note. */
  readonly versions: { readonly path: string; readonly count: number };
  /** The paths that link to a note. */
  readonly backlinks: { readonly path: string; readonly from: readonly string[] };
  readonly trashed: readonly string[];
  /** A search, and what it must find. */
  readonly search: { readonly query: string; readonly path: string };
  /** Words that were typed over a socket. */
  readonly typed: { readonly path: string; readonly words: readonly string[] };
}

const TEXTS: Readonly<Record<string, string>> = {
  'Garden/Roses.md': '---\ntags: [garden]\naliases: [Rosen]\n---\n# Roses\nPrune them in spring. See [[Tools]].\n',
  'Garden/Tools.md': '# Tools\nA saw and ![[plan.png]].\n',
  'Küche/Brot.md': '# Brot\nMehl, Wasser, Salz; wie bei [[Roses]].\n',
  '日記/春.md': '# 春\n庭に薔薇が咲いた。[[Garden/Roses|薔薇]]\n',
  'old.md': 'This one is deleted.\n',
  'moved.md': 'This one is moved; it links [[old]].\n',
  'typed.md': '',
};

/** Fills a new server with a little of everything that is stored. */
export async function fill(url: string): Promise<Contents> {
  const account = { email: 'alice@example.org', password: 'a long enough password' };
  const { access_token: session } = done(await registerAt(url, account)).body;
  const alice = new Caller(url, async () => ({ authorization: `Bearer ${session}` }));
  const vaults: VaultContents[] = [];
  for (const name of ['Diary', 'Work']) vaults.push(await fillVault(url, session, name));
  const access = Object.fromEntries(vaults.map(({ id }) => [id, 'read']));
  const { key } = done(await alice.post('/connections/pat', { name: 'reader', vault_access: access })).body;
  const { id = '' } = vaults.at(-1) ?? {};
  return {
    ...account,
    token: key,
    vaults,
    member: await fillMember(url, alice, id),
    publicLink: await share(alice, id),
  };
}

/** Lets bob into a vault, who has a second factor. */
async function fillMember(url: string, alice: Caller, vault: string): Promise<MemberContents> {
  const account = { email: 'bob@example.org', password: 'a long enough password' };
  const { access_token: session } = done(await registerAt(url, account)).body;
  const bob = new Caller(url, async () => ({ authorization: `Bearer ${session}` }));
  const invitation = done(await alice.post(`/vaults/${vault}/invitations`, { role: 'editor' })).body;
  done(await bob.post(`/invitations/${tokenOf(invitation.url)}/accept`));
  const { secret } = done(await bob.post('/me/totp')).body;
  const confirmed = done(await bob.post('/me/totp/confirm', { code: codeAt(secret, Date.now()) })).body;
  return { ...account, recoveryCode: confirmed.recovery_codes[0] };
}

/** Makes a public link to a note. */
async function share(alice: Caller, vault: string): Promise<{ path: string; heading: string }> {
  const headers = { 'x-vault-id': vault };
  const note = done(await alice.get('/notes/Garden/Roses.md', headers)).body;
  const { url } = done(await alice.post('/vault/links', { note_id: note.id }, headers)).body;
  return { path: new URL(url).pathname, heading: 'Roses' };
}

async function fillVault(url: string, session: string, name: string): Promise<VaultContents> {
  const anyVault = new Caller(url, async () => ({ authorization: `Bearer ${session}` }));
  const { id } = done(await anyVault.post('/vaults', { name })).body.vault;
  const alice = new Caller(url, async () => ({ authorization: `Bearer ${session}`, 'x-vault-id': id }));
  const ids = new Map<string, string>();
  for (const [path, content] of Object.entries(TEXTS)) {
    ids.set(path, done(await alice.post('/notes', { path, content, mtime: 1_700_000_000_000 })).body.note.id);
  }
  const picture = fileOf('png', 3000);
  done(await uploadRaw(alice, 'plan.png', picture));
  const path = 'Garden/Tools.md';
  for (const [at, tool] of ['shovel', 'rake'].entries()) {
    const content = `${TEXTS[path]}A ${tool}.\n`;
    done(await alice.post('/notes', { path, content, mtime: 1_700_000_000_000 + at + 1 }));
  }
  done(await alice.delete('/notes/old.md'));
  done(await alice.post('/notes/rename', { old_path: 'moved.md', new_path: 'Work/moved.md' }));
  const words = await typeInto(url, session, ids.get('typed.md') ?? '');
  const listed = done(await alice.get('/sync/manifest')).body.notes as { path: string }[];
  const notes: Record<string, string> = {};
  for (const note of listed) {
    const { body } = done(await alice.get(`/notes/${encodeURI(note.path)}`));
    notes[note.path] = sha256(Buffer.from(body.content));
  }
  const versions = done(await alice.get(`/notes/by-id/${ids.get(path)}/versions`)).body.versions as unknown[];
  return {
    id,
    name,
    notes,
    attachments: { 'plan.png': sha256(picture) },
    versions: { path, count: versions.length },
    backlinks: { path: 'Garden/Roses.md', from: ['Küche/Brot.md', '日記/春.md'] },
    trashed: ['old.md'],
    search: { query: 'prune spring', path: 'Garden/Roses.md' },
    typed: { path: 'typed.md', words },
  };
}

async function typeInto(url: string, token: string, note: string): Promise<string[]> {
  const client = new AcknowledgingClient('alice', note);
  try {
    await client.join(url, token);
    for (let word = 0; word < 5; word++) client.type(word);
    while (client.ahead > 0) await client.acknowledgedOnce();
    return [...client.typed];
  } finally {
    client.leave();
  }
}

function done(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.bytes}`);
  return answer;
}
