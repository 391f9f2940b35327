export const DAMAGE_HELP =
  'Stop every notevault process and copy the data as it is; "notevault doctor" says what is damaged. Then put a backup ' +
  'in its place, and run "notevault doctor --restored".';

export const DAMAGED_ROWS_HELP =
  'Everything else is served. A backup that was taken before may have them whole: "notevault restore BACKUP --vault ' +
  'NAME" brings a vault back as a new one, beside this one.';
