import type { MailTexts } from './kinds.ts';

export const de: MailTexts = {
  confirm: {
    subject: 'E-Mail-Adresse auf {host} bestätigen',
    paragraphs: ['Ein Konto von Notevault auf {host} hat diese E-Mail-Adresse. Wenn es deins ist, bestätige sie:'],
    button: 'Adresse bestätigen',
    after: ['Der Link gilt einmal und einen Tag lang. Wenn das Konto nicht deins ist, beachte diese Mail nicht.'],
  },
  reset: {
    subject: 'Neues Passwort auf {host}',
    paragraphs: [
      'Jemand möchte für dein Konto von Notevault auf {host} ein neues Passwort. Wenn du es warst, wähle eins:',
    ],
    button: 'Passwort wählen',
    after: [
      'Der Link gilt einmal und eine Stunde lang. Wenn du es nicht warst, beachte diese Mail nicht: Dein Passwort bleibt, wie es ist.',
    ],
  },
  invitation: {
    subject: 'Einladung zu Notevault auf {host}',
    paragraphs: ['{by} lädt dich zu Notevault auf {host} ein.'],
    button: 'Einladung ansehen',
    after: ['Wenn du nicht weißt, wer das ist, beachte diese Mail nicht.'],
  },
  sign_in: {
    subject: 'Neue Anmeldung auf {host}',
    paragraphs: [
      'Bei deinem Konto von Notevault auf {host} hat sich jemand aus einem Netz angemeldet, das es in den letzten 90 Tagen nicht benutzt hat.',
      'Zeit: {at}. Adresse: {address}. Programm: {program}.',
    ],
    button: 'Notevault öffnen',
    after: [
      'Wenn du es nicht warst, beende die Sitzung in den Einstellungen unter „Sitzungen“ und ändere dein Passwort.',
    ],
  },
  passkey_copied: {
    subject: 'Ein Passkey auf {host} wurde vielleicht kopiert',
    paragraphs: [
      'Der Passkey „{name}“ deines Kontos von Notevault auf {host} wurde verwendet, und sein Zähler war kleiner als zuvor. Vielleicht wurde er kopiert, deshalb wurde diese Verwendung abgelehnt.',
      'Zeit: {at}.',
    ],
    button: 'Notevault öffnen',
    after: ['Melde dich anders an, lösche den Passkey in den Einstellungen und lege einen neuen an.'],
  },
  test: {
    subject: 'Testmail von Notevault auf {host}',
    paragraphs: ['Diese Mail kommt von „notevault admin test-mail“. Notevault auf {host} kann Mails senden.'],
  },
};
