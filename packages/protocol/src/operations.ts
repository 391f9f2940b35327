import type { NewTicket } from './tickets.ts';
import { MB } from './values/byte-units.ts';

/*
 * Who may do what: one row for every operation of the API, and for what tickets and sockets permit. Routes, sockets,
 * tickets, the tools of assistants and the tests of access read it; nothing else says what an operation requires.
 */

/** Access rule of an operation: requirements for the caller, and exceptions. */
export interface Rule {
  /** Anyone, any credential, a session, or a session of an admin. */
  readonly who: 'anyone' | 'credential' | 'session' | 'admin';
  /** The level needed in the vault of the request, which is opened before the body is read. */
  readonly vault?: Need;
  /** The level needed in a vault that the URL or the body names. */
  readonly named?: Need;
  /** The role that the caller must have in either vault, beside the level; without one the level decides. */
  readonly role?: Exclude<Role, 'viewer'>;
  /** The level needed in vaults that are made later. */
  readonly later?: Need;
  /** Additional proof of identity that the operation checks. */
  readonly stepUp?: 'password';
  /** Accounts whose session must have proved who uses it lately: all, or those with a second factor. */
  readonly proof?: ProofRule;
  /** Whether the answer is kept for an idempotency key. */
  readonly key?: 'required' | 'optional';
  /** Requests a minute by address and path: the common limit of `auth`, or that but at least a number. */
  readonly limit?: 'auth' | { readonly atLeast: number };
  /** Whether some requests are allowed beyond the plan's limit, so that a new account can be set up. */
  readonly onboarding?: true;
  /** Largest body in bytes, if not the usual one. */
  readonly bodyLimit?: number;
  /** Whether it may write into the reserve of a full disk. DELETE requests always may. */
  readonly onFullDisk?: true;
  /**
   * Set where a cookie is the credential. Browsers add cookies to requests of any page, so pages of other origins are
   * refused there.
   */
  readonly readsCookies?: true;
}

export type Need = 'read' | 'write';

export type ProofRule = 'all' | 'second_factor';

/** Role of a person in a vault. Viewers read, editors also write, and the owner manages the vault. */
export type Role = 'viewer' | 'editor' | 'owner';

const anyone = { who: 'anyone' } as const;
const credential = { who: 'credential' } as const;
const session = { who: 'session' } as const;
const admin = { who: 'admin' } as const;
const read = { ...credential, vault: 'read' } as const;
const write = { ...credential, vault: 'write' } as const;
const editor = { role: 'editor' } as const;
const owner = { role: 'owner' } as const;

const once = { key: 'optional' } as const;
const keyed = { key: 'required' } as const;
const put = { ...write, ...once } as const;
const auth = { limit: 'auth' } as const;
const kept = { onFullDisk: true } as const;
const onboarding = { onboarding: true } as const;
const proved = { proof: 'all' } as const;
/** For operations of the interface: clients that know only passwords are never asked. */
const provedTwice = { proof: 'second_factor' } as const;
/** 10 MB of text can be six times that once escaped. */
const notesBody = { bodyLimit: 64 * MB } as const;

/** By the name that an operation has in the OpenAPI document. */
export const operations = {
  getOpenApi: anyone,
  getHealth: anyone,
  isAlive: anyone,
  isReady: anyone,
  listNoteChanges: credential,
  listAttachmentChanges: credential,

  register: { ...anyone, ...auth },
  login: { ...anyone, ...kept, ...auth },
  proveSecondFactor: { ...anyone, ...kept, ...auth },
  loginByLink: { ...anyone, ...kept, ...auth },
  stepUp: { ...session, ...kept, ...auth, stepUp: 'password' },
  refreshSession: { ...anyone, ...kept, ...auth, readsCookies: true },
  logout: { ...anyone, ...kept, ...auth, readsCookies: true },
  // Every page that is opened asks once, and all of an office call from one address.
  bootstrap: { ...anyone, limit: { atLeast: 120 } },
  resetPassword: { ...anyone, ...kept, ...auth },
  forgotPassword: { ...anyone, ...kept, ...auth },
  getSignInSettings: session,
  startTotp: { ...session, ...proved },
  confirmTotp: { ...session, ...auth },
  removeTotp: { ...session, ...proved },
  joinIdentity: { ...session, ...auth, ...proved },
  removeIdentity: { ...session, ...proved },
  stepUpByOidc: { ...session, ...auth },
  startPasskey: { ...session, ...proved },
  addPasskey: { ...session, ...proved },
  // Every sign-in page that is opened asks, and all of an office from one address.
  startPasskeySignIn: { ...anyone, ...kept, limit: { atLeast: 120 } },
  signInByPasskey: { ...anyone, ...kept, ...auth },
  signInOnPage: { ...anyone, ...kept, ...auth },
  startStepUp: { ...session, ...kept, ...auth },
  listPasskeys: session,
  renamePasskey: session,
  deletePasskey: { ...session, ...proved },
  requestEmailConfirmation: session,
  confirmEmail: { ...anyone, ...kept, ...auth },
  changePassword: { ...session, ...kept, ...auth, stepUp: 'password' },
  listSessions: session,
  endSession: session,
  endOtherSessions: session,
  getMe: { ...credential, ...onboarding },
  updateMe: { ...session, ...onboarding },
  getPreferences: session,
  changePreferences: session,
  deleteMe: { ...session, ...onboarding, ...provedTwice, stepUp: 'password' },

  adminListUsers: admin,
  adminUpdateUser: { ...admin, ...kept },
  adminDeleteUser: { ...admin, ...provedTwice, stepUp: 'password' },
  adminResetSecondFactor: { ...admin, ...kept, ...proved },
  adminListInvites: admin,
  adminCreateInvite: admin,
  adminDeleteInvite: admin,
  adminHealth: admin,

  createApiKey: { ...session, ...once, ...provedTwice },
  listApiKeys: session,
  revokeApiKey: session,
  listConnections: session,
  createPat: { ...session, ...once, ...provedTwice },
  revokePat: session,
  revokeOAuthClient: session,
  revokeDevice: session,
  startDeviceLink: { ...anyone, ...auth },
  // A device may do what its person may.
  authorizeDevice: { ...session, ...auth, named: 'read' },
  pollDeviceLink: anyone,
  refreshDevice: { ...anyone, ...kept, ...auth },
  signOffDevice: { ...anyone, ...kept, ...auth },

  listVaults: { ...credential, ...onboarding },
  getStorage: { ...credential, ...onboarding },
  createVault: { ...credential, ...onboarding, ...once, later: 'write' },
  // The level in vaults made later if it makes one, that in the named one if there is one.
  registerVault: { ...credential, ...onboarding, ...once, later: 'write', named: 'read' },
  getVault: { ...credential, named: 'read' },
  updateVault: { ...credential, named: 'write', ...owner },
  deleteVault: { ...credential, named: 'write', ...owner },
  restoreVault: { ...session, ...once, named: 'write', ...owner },
  purgeVault: { ...session, ...kept, ...once, ...provedTwice, named: 'write', ...owner },

  listMembers: { ...session, named: 'read' },
  createInvitation: { ...session, named: 'write', ...owner },
  deleteInvitation: { ...session, named: 'write', ...owner },
  // A page that previews links asks too, and all of an office call from one address.
  getInvitation: { ...anyone, limit: { atLeast: 120 } },
  acceptInvitation: { ...session, limit: { atLeast: 120 } },
  updateMember: { ...session, named: 'write', ...owner },
  // Members may remove themselves: the operation checks that only the owner removes others.
  removeMember: { ...session, named: 'read' },
  adminHandOver: { ...admin, ...proved },

  createPublicLink: { ...session, vault: 'write', ...owner },
  listPublicLinks: { ...session, vault: 'read', ...owner },
  deletePublicLink: { ...session, ...kept, vault: 'write', ...owner },
  adminCountPublicLinks: admin,
  adminEndPublicLinks: { ...admin, ...kept },

  upsertNote: { ...write, ...once, ...notesBody },
  upsertNotes: { ...write, ...keyed, ...notesBody },
  appendToNote: { ...write, ...once, ...notesBody },
  renameNote: { ...write, ...once },
  moveNotes: { ...write, ...keyed },
  getNote: read,
  getNoteById: read,
  listRecentNotes: read,
  listOpenedNotes: { ...session, vault: 'read' },
  recordOpenedNote: { ...session, vault: 'read' },
  listBacklinks: read,
  deleteNote: write,
  deleteNoteById: write,
  deleteNotes: { ...write, ...kept, ...keyed },
  listNoteVersions: { ...read, ...editor },
  getNoteVersion: { ...read, ...editor },
  restoreNoteVersion: { ...write, ...once },
  listTags: read,
  listTypes: read,
  search: read,
  searchStatus: read,
  queryNotes: read,
  listTasks: read,
  getDailyNote: read,
  toggleTask: { ...write, ...once },
  listMentions: read,
  linkMention: { ...write, ...once },
  renameTag: { ...write, ...once },
  replaceText: { ...write, ...once },

  listFolders: read,
  listExplicitFolders: read,
  listFolderNotes: read,
  listFolderNotesById: read,
  createFolder: { ...write, ...once },
  deleteFolder: { ...write, ...once },
  deleteFolders: { ...write, ...kept, ...keyed },
  renameFolder: { ...write, ...once },
  moveFolders: { ...write, ...keyed },
  renameMany: { ...write, ...keyed },

  listAttachments: read,
  getAttachment: read,
  uploadAttachment: { ...write, ...once },
  putAttachment: put,
  renameAttachment: { ...write, ...once },
  moveAttachments: { ...write, ...keyed },
  deleteAttachment: { ...write, ...once },
  deleteAttachments: { ...write, ...kept, ...once },

  createUpload: put,
  // And the credential that began the upload, with the level write in its vault.
  getUpload: credential,
  appendToUpload: credential,
  endUpload: credential,
  listUploadsInto: session,
  endUploadInto: session,

  listTrash: { ...read, ...editor },
  restoreFromTrash: { ...write, ...once },
  deleteFromTrash: { ...write, ...owner },

  listActivity: { ...read, ...editor },
  getActivity: { ...read, ...editor },
  // Of others only the owner: the operation checks it.
  undoActivity: write,

  getManifest: read,
  listChanges: read,
  findKnownNotes: read,
  getVaultTree: read,
  getVaultGraph: read,
  listDanglingLinks: read,
  // Credentials are presented on the socket, and checked for each document: see `live`.
  syncSocket: anyone,
  syncNote: anyone,

  // Plus the requirements of the ticket: see `ticketed`. Pages load pictures by ticket, also on a full disk.
  createTicket: { ...read, ...kept },
  // The ticket is the credential, and the one it was made with must still have what that requires.
  downloadByTicket: anyone,
  uploadByTicket: anyone,

  startImport: { ...session, named: 'write' },
  listImports: session,
  getImport: session,
  cancelImport: session,
  applyImport: { ...session, named: 'write' },

  addLogs: { ...credential, ...once },
  listLogs: credential,
} as const satisfies Readonly<Record<string, Rule>>;

export type OperationName = keyof typeof operations;

/** The rule of an operation, with its literal values. */
export type RuleOf<Name extends OperationName> = (typeof operations)[Name];

/** Rules of ticket operations, which apply both when the ticket is created and when it is used. */
export const ticketed = {
  'attachment.get': read,
  'attachment.put': put,
  'vault.export': { ...session, vault: 'read' },
} as const satisfies Readonly<Record<NewTicket['operation'], Rule>>;

/** Rules of socket operations. */
export const live = { open: read, edit: write } as const;

/** The kinds of credentials that a socket accepts in its URL, because browsers cannot set its headers. */
export const kindsInUrl: readonly string[] = ['session', 'key'];
