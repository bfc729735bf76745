import type { EndpointId, EventId } from '@supplier/lib/ids';
import { recordingOf } from './recording.ts';

const endpointId = '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as EndpointId;
const later = '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a11' as EventId;

describe('a change', () => {
  it('is dropped while there is no endpoint', () => {
    expect(recordingOf({ endpointId: undefined, activeThen: false, laterUnattempted: undefined })).toEqual({
      state: 'dropped',
      endpointId: undefined,
    });
  });

  it('is dropped when its endpoint was not active at the time, even if a later event waits', () => {
    expect(recordingOf({ endpointId, activeThen: false, laterUnattempted: later })).toEqual({
      state: 'dropped',
      endpointId,
    });
  });

  it('is merged into a later state that nobody has tried to deliver', () => {
    expect(recordingOf({ endpointId, activeThen: true, laterUnattempted: later })).toEqual({
      state: 'superseded',
      endpointId,
      supersededBy: later,
    });
  });

  it('is delivered otherwise', () => {
    expect(recordingOf({ endpointId, activeThen: true, laterUnattempted: undefined })).toEqual({
      state: 'pending',
      endpointId,
    });
  });
});
