import { useState } from 'react';
import { isNarrow } from '../../platform/narrow.ts';

const STORED = 'notevault-sidebar';

/** Whether the list of notes is shown; on a narrow screen it covers the note, and begins closed. */
export function useSidebar() {
  const [isOpen, setOpen] = useState(() => !isNarrow() && localStorage.getItem(STORED) !== 'closed');
  const change = (open: boolean) => {
    if (!isNarrow()) localStorage.setItem(STORED, open ? 'open' : 'closed');
    setOpen(open);
  };
  return {
    isOpen,
    toggle: () => change(!isOpen),
    /** Gives way to what was opened from it. */
    leave: () => {
      if (isNarrow()) setOpen(false);
    },
  };
}
