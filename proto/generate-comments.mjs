// Writes the comments of the protos as a module, because generated descriptors have none. The staff command line shows
// them as help.
import { writeFileSync } from 'node:fs';

/** Field numbers of FileDescriptorProto for elements that can have comments. */
const SERVICE = 6;
const MESSAGE = 4;
const ENUM = 5;

/** Writes `comments.js` and its types into `folder`, from a file descriptor set in JSON that has source information. */
export function writeComments(folder, descriptorSet) {
  const files = JSON.parse(descriptorSet).file.filter(({ name }) => name.startsWith('supplier/'));
  const comments = Object.fromEntries(files.flatMap(commentsOf).sort(([a], [b]) => (a < b ? -1 : 1)));
  const head = '// Generated from the protos by generate.mjs.\n';
  writeFileSync(
    `${folder}/comments.js`,
    `${head}export const comments = ${JSON.stringify(comments, null, 1)};\n`,
  );
  writeFileSync(
    `${folder}/comments.d.ts`,
    `${head}/** The comment of each service, method, message, field, enum and value, by its full name. */\nexport declare const comments: Readonly<Record<string, string>>;\n`,
  );
}

function commentsOf(file) {
  return (file.sourceCodeInfo?.location ?? []).flatMap(({ path, leadingComments }) => {
    const name = leadingComments && path ? nameAt(file, path) : undefined;
    return name ? [[`${file.package}.${name}`, leadingComments.trim().replace(/\s+/g, ' ')]] : [];
  });
}

/** Returns the name of the element at a path, without the package. Returns undefined for other elements. */
function nameAt(file, [kind, index, ...rest]) {
  const [lists, at] = [
    { [SERVICE]: file.service, [MESSAGE]: file.messageType, [ENUM]: file.enumType },
    index,
  ];
  const found = lists[kind]?.[at];
  if (!found || rest.length === 0) return found?.name;
  // A method, field or value: always the list with number 2.
  const members = { [SERVICE]: found.method, [MESSAGE]: found.field, [ENUM]: found.value }[kind];
  const member = rest.length === 2 && rest[0] === 2 ? members?.[rest[1]] : undefined;
  return member && `${found.name}.${member.name}`;
}
