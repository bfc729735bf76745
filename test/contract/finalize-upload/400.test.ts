import { refusesWhatIsUnreadable } from '../../harness/common-refusals.ts';

describe('400 to a finalize', () => {
  refusesWhatIsUnreadable('finalize-upload');
});
