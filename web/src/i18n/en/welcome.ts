/** Texts of the first run, and of the checks of the server. */
export const welcome = {
  step: 'Step {{number}} of {{total}}',
  steps: 'Steps',
  back: 'Back',
  next: 'Next',
  done: 'Go to the notes',
  notes: {
    title: 'Bring your notes',
    text: 'A folder of Markdown files such as an Obsidian vault, a zip of one, or an export from Joplin (.jex) or Notion. You see a preview first.',
    empty: 'Begin with an empty vault',
    skip: 'Continue without importing',
  },
  connect: {
    title: 'Connect what you use',
    text: 'You can do all of this later in the settings. A card turns green once the connection works.',
  },
  checks: {
    title: 'Is the server ready?',
    text: 'Seen from this browser. Run “notevault doctor” on the server for more checks.',
    again: 'Check again',
    ok: 'in order',
    warning: 'worth a look',
    fault: 'failed',
    secure: {
      title: 'The connection is encrypted',
      bad: 'The connection is not encrypted',
      fix: 'Put a TLS proxy such as Caddy in front, and open the server by its https address. Without TLS, passwords and notes can be read in transit, and some features do not work on other machines.',
    },
    address: {
      title: 'The server knows its address',
      bad: 'The server may not know its address',
      fix: 'Set NOTEVAULT_PUBLIC_URL to the address that you see above in the browser, and start the server again. Assistants and links use it.',
    },
    socket: {
      title: 'Live editing gets through',
      bad: 'Live editing does not work',
      fix: 'The proxy must forward WebSockets (Upgrade and Connection headers).',
    },
    clock: {
      title: 'The clocks agree',
      bad: 'The clocks do not agree',
      fix: 'The clock of the server or of this machine is wrong. Turn on NTP on both.',
    },
    disk: {
      title: 'The disk has free space',
      bad: 'The disk is full',
      fix: 'The disk is full. Nothing can be saved until there is space.',
    },
    database: {
      title: 'The database is intact',
      bad: 'A part of the database is damaged',
      fix: 'Run “notevault doctor” to see what is damaged. Stop the server, copy its data folder, and restore a backup, as described under “Damaged pages” in docs/operations.md.',
    },
    backup: {
      title: 'There is a recent backup',
      bad: 'There is no recent backup',
      fix: 'Set NOTEVAULT_BACKUP_DIR to a folder on another disk, and the server makes one every day. Keep a copy of the master key elsewhere. If the last one failed, “notevault status” says why.',
    },
  },
};
