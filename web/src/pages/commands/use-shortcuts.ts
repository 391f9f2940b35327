import { useEffect, useRef } from 'react';
import { isPressed, onApple } from '../../ui/text/shortcut.ts';
import type { ActionContext } from './action.ts';
import { APP_ACTIONS, isPossible, keysOf } from './actions.ts';

/** Runs actions by their keys while the component is there. */
export function useShortcuts(context: ActionContext): void {
  const latest = useRef(context);
  useEffect(() => {
    latest.current = context;
  }, [context]);
  useEffect(() => {
    const isApple = onApple();
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isPlain && isTyping(event.target)) return;
      const action = APP_ACTIONS.find((one) => {
        const keys = keysOf(one, isApple);
        return isPossible(one, latest.current) && keys !== undefined && isPressed(keys, event, isApple);
      });
      if (action === undefined) return;
      event.preventDefault();
      action.run(latest.current);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Whether keys write text or choose a row where they are pressed. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [data-tree], [role=menu]') !== null;
}
