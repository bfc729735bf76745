import { refusesWhoIsUnknown } from '../../harness/common-refusals.ts';

describe('401 to a request for an upload URL', () => {
  refusesWhoIsUnknown('create-upload-url');
});
