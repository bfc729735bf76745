import { EnvelopeReader, inEnvelope } from './index.ts';

const messages = [Buffer.from('first'), Buffer.alloc(0), Buffer.alloc(70_000, 7)];
const stream = Buffer.concat([
  ...messages.map((message) => inEnvelope(message)),
  inEnvelope(Buffer.from('{}'), true),
]);

describe('EnvelopeReader', () => {
  it.each([1, 4, 5, 1_000, stream.byteLength])('reads the same messages in pieces of %i bytes', (size) => {
    const reader = new EnvelopeReader(70_000);
    const read = [];
    for (let from = 0; from < stream.byteLength; from += size)
      for (const { isEnd, message } of reader.read(stream.subarray(from, from + size)))
        read.push([isEnd, Buffer.from(message)]);
    expect(read).toEqual([...messages.map((message) => [false, message]), [true, Buffer.from('{}')]]);
  });

  it('rejects a message that is too large or compressed', () => {
    expect(() => [...new EnvelopeReader(69_999).read(stream)]).toThrow('larger than allowed');
    const compressed = Buffer.from(inEnvelope(Buffer.from('x')));
    compressed.writeUInt8(1, 0);
    expect(() => [...new EnvelopeReader(10).read(compressed)]).toThrow('unknown flag');
  });
});
