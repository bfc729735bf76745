import { Button, InputGroup } from '@blueprintjs/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { UUID } from '../words.ts';

/** Matches an email address, or as many digits as a telephone number. Search text ends up in the browser's history. */
const isPersonal = (text: string) =>
  text.includes('@') || (/^\+?[\d\s()-]{9,}$/.test(text) && !UUID.test(text));

/**
 * Searches for a submission by id or Application. It refuses personal details, because the search text is part of the
 * URL.
 */
export function FindBox() {
  const [text, setText] = useState('');
  const [personal, setPersonal] = useState(false);
  const navigate = useNavigate();
  return (
    <search className="find-place">
      <form
        className="find"
        onSubmit={(event) => {
          event.preventDefault();
          const what = text.trim();
          setPersonal(isPersonal(what));
          if (what !== '' && !isPersonal(what)) void navigate({ to: '/find', search: { what } });
        }}
      >
        <InputGroup
          aria-label="Submission, request or Application"
          placeholder="Id or Application"
          value={text}
          maxLength={128}
          onValueChange={setText}
        />
        <Button type="submit">Find</Button>
      </form>
      {personal ? (
        <p role="alert">That is of a person: it is looked for under People, with a purpose.</p>
      ) : null}
    </search>
  );
}
