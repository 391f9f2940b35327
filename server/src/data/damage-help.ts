/** What an operator should do about a damaged database. */
export const DAMAGE_HELP =
  'Stop every notevault process and copy the data as it is; "notevault doctor" says what is damaged. Then put a backup ' +
  'in its place, and run "notevault doctor --restored".';
