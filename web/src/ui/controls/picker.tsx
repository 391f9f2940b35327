import { Command } from 'cmdk';
import { type ReactNode, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import { matchedPieces } from './matched-pieces.ts';
import styles from './picker.module.css';

export interface PickerItem {
  readonly id: string;
  readonly label: string;
  /** Beside the label: a folder, some words. */
  readonly more?: string;
  /** A shortcut, at the end of the line. */
  readonly keys?: string;
  readonly icon?: ReactNode;
  /** How many levels it is below the first of its group. */
  readonly depth?: number;
  /** Items of one group are beside each other, below its name. */
  readonly group?: string;
  readonly run: () => void;
}

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  /** Query, if it is only a part of the value. */
  readonly query?: string;
  /** Matches of the value, best first. */
  readonly items: readonly PickerItem[];
  readonly none: string;
  /** In front of items without one of their own. */
  readonly icon?: ReactNode;
  /** Hints about keys. */
  readonly foot?: readonly string[];
}

/** Maximum items shown; more would be slow. */
const SHOWN = 60;

/** Field with a list of suggestions, chosen by keys or pointer. */
export function Picker({ label, value, change, query = value, items, none, icon, foot }: PickerProps) {
  const shown = items.slice(0, SHOWN);
  const [chosen, setChosen] = useState('');
  /** Whether somebody moved in the list since they typed; until then the first is chosen, also when others come late. */
  const hasMoved = useRef(false);
  const selected = shown.some(({ id }) => id === chosen) ? chosen : (shown[0]?.id ?? '');
  const groups = [...new Set(shown.map(({ group = '' }) => group))];
  const row = (item: PickerItem) => (
    <Command.Item key={item.id} value={item.id} data-depth={item.depth} onSelect={item.run}>
      {item.icon ?? icon}
      <span className={styles.label} dir="auto">
        <Matched text={item.label} query={query} />
      </span>
      {item.more === undefined || item.more === '' ? null : (
        <small className={styles.more} dir="auto">
          <Matched text={item.more} query={query} />
        </small>
      )}
      {item.keys === undefined ? null : <kbd>{item.keys}</kbd>}
    </Command.Item>
  );
  return (
    <Command
      className={styles.root ?? ''}
      shouldFilter={false}
      label={label}
      loop
      value={selected}
      onValueChange={(id) => {
        if (hasMoved.current) setChosen(id);
      }}
      onKeyDownCapture={() => {
        hasMoved.current = true;
      }}
      onPointerMoveCapture={() => {
        hasMoved.current = true;
      }}
    >
      <div className={styles.field}>
        <Icon name="search" size={18} />
        <Command.Input
          className={styles.input}
          value={value}
          onValueChange={(typed) => {
            hasMoved.current = false;
            setChosen('');
            change(typed);
          }}
          placeholder={label}
          autoFocus
        />
      </div>
      <Command.List className={styles.list}>
        {groups.map((group) => {
          const rows = shown.filter((item) => (item.group ?? '') === group).map(row);
          return group === '' ? (
            rows
          ) : (
            <Command.Group key={group} heading={group}>
              {rows}
            </Command.Group>
          );
        })}
        {items.length === 0 ? <p className={styles.none}>{none}</p> : null}
      </Command.List>
      {foot === undefined ? null : (
        <div className={styles.foot} aria-hidden="true">
          {foot.map((keys) => (
            <span key={keys}>{keys}</span>
          ))}
        </div>
      )}
    </Command>
  );
}

/** A text with the letters that were looked for. */
function Matched({ text, query }: { readonly text: string; readonly query: string }) {
  return matchedPieces(text, query).map(({ from, piece, isMatched }) =>
    isMatched ? (
      <b key={from} className={styles.matched}>
        {piece}
      </b>
    ) : (
      piece
    ),
  );
}
