import { testRotatedTables } from '@supplier/lib/testing';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import { answerHeadAad, bodyAad, rotatedTables, secretAad } from './sealed-values.ts';

const ID = '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10';

describe('associated data of already stored values', () => {
  it('binds a signing secret to its endpoint', () => {
    expect(secretAad(ID as EndpointId)).toEqual({ table: 'endpoint', column: 'sealed_secret', row: ID });
  });

  it('binds a body to its event', () => {
    expect(bodyAad(ID as EventId)).toEqual({ table: 'event', column: 'sealed_body', row: ID });
  });

  it("binds a receiver's response to one attempt of one event", () => {
    expect(answerHeadAad(ID as EventId, 3)).toEqual({
      table: 'attempt',
      column: 'sealed_answer_head',
      row: `${ID}/3`,
    });
  });
});

/** Byte columns that are neither sealed nor a keyed digest. */
const OTHERS = /\.envelope$|^key_in_use\./;

testRotatedTables(new URL('../..', import.meta.url), rotatedTables, OTHERS);
