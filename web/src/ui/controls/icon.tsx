/** Icons as paths on a grid of 24, drawn for this app. */
const PATHS = {
  add: 'M12 5v14M5 12h14',
  alert: 'M12 4 21 20H3zM12 10v4.5M12 17.2h.01',
  attachment: 'M20 11.5 12.4 19a5 5 0 0 1-7-7l8.1-8.2a3.3 3.3 0 0 1 4.7 4.7l-8.2 8.2a1.7 1.7 0 0 1-2.3-2.4l7.5-7.5',
  back: 'm15 5-7 7 7 7',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 7v5l3.2 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  down: 'm6 9 6 6 6-6',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M4.5 19.5h15',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0z',
  file: 'M6 3.5h8l4.5 4.5v12.5H6zM13.5 4v4.5H18',
  folder: 'M3 6.5h6.5l2 2.5H21v10.5H3z',
  graph:
    'M7.5 8 10 15M9 7h6m1 2-4 7M9 6.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM19 7.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM13 18a2 2 0 1 1-4 0 2 2 0 0 1 4 0z',
  history: 'M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4v4.5h4.5M12 8v4.4l3 1.8',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.3-3.3a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0L5 13.3a4 4 0 0 0 5.7 5.7l1.3-1.3',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  note: 'M6 3.5h12v17H6zM9 8.5h6M9 12h6M9 15.5h3.5',
  offline: 'M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-6-2.9M12 19h.01',
  panel: 'M3.5 5h17v14h-17zM15 5v14',
  search: 'm20 20-4.6-4.6M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z',
  settings:
    'M4 7h9m5 0h2M4 17h2m5 0h9M13 7a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0zM6 17a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0z',
  tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8.5 8.5h.01',
  trash: 'M4 6.5h16M9 6.5V4h6v2.5M6 6.5 7 20h10l1-13.5M10 10.5v6M14 10.5v6',
  undo: 'M8 5 4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3',
  vault: 'M4 4.5h16v15H4zM15.5 12a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM12 8.5v-1.5M12 17v-1.5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text, or in a button with a label; assistive technology skips it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
