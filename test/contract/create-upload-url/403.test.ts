import { refusesWhoMayNot } from '../../harness/common-refusals.ts';

describe('403 to a request for an upload URL', () => {
  refusesWhoMayNot('create-upload-url');
});
