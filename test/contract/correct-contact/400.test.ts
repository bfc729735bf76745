import { refusesWhatIsUnreadable } from '../../harness/common-refusals.ts';

describe('400 to a contact correction', () => {
  refusesWhatIsUnreadable('correct-contact');
});
