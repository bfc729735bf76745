import { Scope } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import { toCreateRequest } from '../../enquiry/to-create-request.ts';
import { compileValidator } from '../../validation/validator.ts';
import { levelFirst } from '../level-first.ts';
import { type Operation, onBehalfOf, sendStatus } from '../operation.ts';
import { createSubmissionReference } from './create-submission.reference.ts';
import { createSubmissionSchema } from './create-submission.schema.ts';

/**
 * Creates a submission at application level: returns 202 if it is new, 200 if the same body was already sent under its
 * reference. Implements docs/contract.md, section 2.
 */
export const createSubmission: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions',
  anyScope: [Scope.CREATE_APPLICATION],
  reference: createSubmissionReference,
  prepare({ config, submission }) {
    const validate = levelFirst(
      'application',
      compileValidator(createSubmissionSchema(config.screeningProvider)),
    );
    return async (request, reply) => {
      const call = toCreateRequest(Level.APPLICATION, validate(request.body));
      const answer = await submission.createSubmission(call, onBehalfOf(request));
      if (!answer.submission)
        throw new Error('invariant violated: no submission in the response to a create');
      return sendStatus(reply, answer.created ? 202 : 200, answer.submission, answer.arrivalScreenUrl);
    };
  },
};
