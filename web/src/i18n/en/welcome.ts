/** Texts of the first run, and of the checks of the server. */
export const welcome = {
  step: 'Step {{number}} of {{total}}',
  steps: 'Steps',
  back: 'Back',
  next: 'Next',
  done: 'Go to the notes',
  notes: {
    title: 'Bring your notes',
    text: 'A folder of markdown, such as a vault of Obsidian, a zip of one, or an export of Joplin (.jex). First you see what would happen.',
    empty: 'Begin with an empty vault',
    skip: 'Go on without importing',
  },
  connect: {
    title: 'Connect what you use',
    text: 'All of this can be done later, in the settings. A card turns green when something really came through.',
  },
  checks: {
    title: 'Is the server ready?',
    text: 'How this browser sees it. “notevault doctor” looks at more, on the machine of the server.',
    again: 'Check again',
    ok: 'in order',
    warning: 'worth a look',
    fault: 'at fault',
    secure: {
      title: 'The connection is encrypted',
      bad: 'The connection is not encrypted',
      fix: 'Put a proxy with TLS in front, such as Caddy, and open the server by its https address. Without it passwords and notes can be read on the way, and other machines cannot use everything.',
    },
    address: {
      title: 'The server knows its address',
      bad: 'The server may not know its address',
      fix: 'Set NOTEVAULT_PUBLIC_URL to the address that you see above in the browser, and start the server again. Assistants and links use it.',
    },
    socket: {
      title: 'Live editing gets through',
      bad: 'Live editing does not get through',
      fix: 'The proxy in front must pass WebSockets on (Upgrade and Connection headers).',
    },
    clock: {
      title: 'The clocks agree',
      bad: 'The clocks do not agree',
      fix: 'The clock of the server or of this machine is wrong. Turn on NTP on both.',
    },
    disk: {
      title: 'The disk has room',
      bad: 'The disk is full',
      fix: 'The disk is full. Nothing can be saved until there is room.',
    },
    database: {
      title: 'The database is sound',
      bad: 'A part of the database is damaged',
      fix: '“notevault doctor” says what is damaged. Stop the server, copy its data as it is, and restore a backup; “Damaged pages” in docs/operations.md says more.',
    },
    backup: {
      title: 'There is a recent backup',
      bad: 'There is no recent backup',
      fix: 'Set NOTEVAULT_BACKUP_DIR to a folder on another disk, and the server takes one each day. Keep a copy of the master key elsewhere. If the last one failed, “notevault status” says why.',
    },
  },
};
