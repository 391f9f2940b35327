import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integrationOrder } from './integration-order.ts';
import type { ScannedItem } from './update-validator.ts';

type Id = { readonly client: number; readonly clock: number };
const at = (client: number, clock: number): Id => ({ client, clock });
const item = (client: number, clock: number, origin: Id | null = null, rightOrigin: Id | null = null): ScannedItem => ({
  client,
  clock,
  length: 1,
  origin,
  rightOrigin,
});
const orderOf = (items: readonly ScannedItem[]) =>
  integrationOrder(items, () => 0)?.map(({ client, clock }) => `${client}:${clock}`);

test('an item that needs two clients is placed before the later items of either that need it', () => {
  const order = orderOf([
    item(1, 0),
    item(1, 1, at(2, 0), at(3, 0)),
    item(2, 0),
    item(2, 1, at(1, 1)),
    item(3, 0),
    item(3, 1, at(1, 1), at(2, 1)),
  ]);
  assert.deepEqual(order, ['1:0', '2:0', '3:0', '1:1', '2:1', '3:1']);
});

test('items that wait for each other, or for missing items, have no order', () => {
  assert.equal(orderOf([item(1, 0, at(2, 0)), item(2, 0, at(1, 0))]), undefined);
  assert.equal(orderOf([item(1, 0, at(2, 0))]), undefined);
});
