import { refusesWhatIsUnreadable } from '../../harness/common-refusals.ts';

describe('400 to a request for an upload URL', () => {
  refusesWhatIsUnreadable('create-upload-url');
});
