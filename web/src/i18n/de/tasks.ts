import type { tasks as english } from '../en/tasks.ts';

export const tasks: typeof english = {
  title: 'Aufgaben',
  open: 'Offen',
  done: 'Erledigt',
  tag: 'Schlagwort',
  anyTag: 'Alle Schlagwörter',
  order: 'Reihenfolge',
  by: { due: 'Nach Fälligkeit', note: 'Nach Notiz', tag: 'Nach Schlagwort' },
  group: {
    overdue: 'Überfällig',
    past: 'Früher',
    today: 'Heute',
    week: 'Diese Woche',
    later: 'Später',
    none: 'Ohne Datum',
  },
  untagged: 'Ohne Schlagwort',
  note: 'Notiz öffnen',
  isDone: '„{{text}}“ ist erledigt',
  isOpen: '„{{text}}“ ist wieder offen',
  noneOpen: 'Nichts ist offen',
  noneDone: 'Noch ist nichts erledigt',
  noneDoneText: 'Was du abhakst, hier oder in einer Notiz, steht dann hier.',
  noneTagged: 'Keine solche Aufgabe hat #{{tag}} in ihrer Zeile',
  how: 'Schreib „- [ ] “ in eine Notiz und was zu tun ist; ein Tag wie „📅 2026-12-01“ macht es fällig.',
  dismiss: 'In Ordnung',
  problem: {
    changed: 'Die Zeile wurde inzwischen geändert, deshalb wurde nichts abgehakt. Jetzt steht dort:',
    gone: 'Die Notiz wurde inzwischen gelöscht, deshalb wurde nichts abgehakt.',
  },
};
