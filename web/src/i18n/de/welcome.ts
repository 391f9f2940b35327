import type { welcome as english } from '../en/welcome.ts';

export const welcome: typeof english = {
  step: 'Schritt {{number}} von {{total}}',
  steps: 'Schritte',
  back: 'Zurück',
  next: 'Weiter',
  done: 'Zu den Notizen',
  notes: {
    title: 'Bring deine Notizen mit',
    text: 'Einen Ordner mit Markdown, etwa einen Vault von Obsidian, ein Zip davon oder einen Export von Joplin (.jex) oder Notion. Zuerst siehst du, was geschehen würde.',
    empty: 'Mit einem leeren Tresor beginnen',
    skip: 'Weiter ohne Import',
  },
  connect: {
    title: 'Verbinde, was du benutzt',
    text: 'Alles geht auch später in den Einstellungen. Eine Karte wird grün, wenn wirklich etwas angekommen ist.',
  },
  checks: {
    title: 'Ist der Server bereit?',
    text: 'So sieht ihn dieser Browser. „notevault doctor“ prüft auf dem Rechner des Servers noch mehr.',
    again: 'Noch einmal prüfen',
    ok: 'in Ordnung',
    warning: 'einen Blick wert',
    fault: 'fehlerhaft',
    secure: {
      title: 'Die Verbindung ist verschlüsselt',
      bad: 'Die Verbindung ist nicht verschlüsselt',
      fix: 'Stell einen Proxy mit TLS davor, etwa Caddy, und öffne den Server unter seiner https-Adresse. Sonst lassen sich Passwörter und Notizen unterwegs mitlesen, und andere Rechner können nicht alles benutzen.',
    },
    address: {
      title: 'Der Server kennt seine Adresse',
      bad: 'Der Server kennt seine Adresse vielleicht nicht',
      fix: 'Setz NOTEVAULT_PUBLIC_URL auf die Adresse, die oben im Browser steht, und starte den Server neu. Assistenten und Links benutzen sie.',
    },
    socket: {
      title: 'Gemeinsames Schreiben kommt durch',
      bad: 'Gemeinsames Schreiben kommt nicht durch',
      fix: 'Der Proxy davor muss WebSockets weiterleiten (die Kopfzeilen Upgrade und Connection).',
    },
    clock: {
      title: 'Die Uhren stimmen überein',
      bad: 'Die Uhren stimmen nicht überein',
      fix: 'Die Uhr des Servers oder dieses Rechners geht falsch. Schalte auf beiden NTP ein.',
    },
    disk: {
      title: 'Auf der Platte ist Platz',
      bad: 'Die Platte ist voll',
      fix: 'Die Platte ist voll. Bis Platz da ist, lässt sich nichts speichern.',
    },
    database: {
      title: 'Die Datenbank ist unbeschädigt',
      bad: 'Ein Teil der Datenbank ist beschädigt',
      fix: '„notevault doctor“ sagt, was beschädigt ist. Halte den Server an, kopiere seine Daten, wie sie sind, und spiel eine Sicherung zurück; mehr unter „Damaged pages“ in docs/operations.md.',
    },
    backup: {
      title: 'Es gibt eine aktuelle Sicherung',
      bad: 'Es gibt keine aktuelle Sicherung',
      fix: 'Setz NOTEVAULT_BACKUP_DIR auf einen Ordner auf einer anderen Platte, und der Server sichert jeden Tag. Bewahr eine Kopie des Hauptschlüssels woanders auf. Ist die letzte fehlgeschlagen, sagt „notevault status“ den Grund.',
    },
  },
};
