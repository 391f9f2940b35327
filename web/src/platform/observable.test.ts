import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObservableValue } from './observable.ts';

test('An observable value tells its listeners of changes, and of nothing else', () => {
  const { get, set, subscribe } = new ObservableValue('a');
  const seen: string[] = [];
  const end = subscribe(() => seen.push(get()));
  set('b');
  set('b');
  set('c');
  end();
  set('d');
  assert.deepEqual([seen, get()], [['b', 'c'], 'd']);
});

test('A listener that ends itself or another one amid a change does not keep others from hearing of it', () => {
  const { set, subscribe } = new ObservableValue(0);
  const seen: string[] = [];
  const end = subscribe(() => {
    seen.push('first');
    end();
  });
  subscribe(() => seen.push('second'));
  set(1);
  set(2);
  assert.deepEqual(seen, ['first', 'second', 'second']);
});
