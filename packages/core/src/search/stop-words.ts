const english =
  "a about all am an and any anything are as at be been before but by can could did do does each every everything " +
  "for from had has have he her here him his how i if in into is it its just know let like likes me mine more most my " +
  "need no not of off on once one only or other our out over own please same she should show so some something such " +
  "than that the their them then there these they this those through thing things to too tool tools under until up us " +
  "use used uses using very want was we were what when where which while who whom whose why will with would you your";

const german =
  "aber alle allem allen alles als am an auf aus bei bin bis bitte da das dass dein dem den der des die dies diese " +
  "diesen dieses du ein eine einem einen einer eines er es fur gib habe haben hat hier ich ihr im in ins ist ja jede " +
  "kann kannst mal man mein meine mich mir mit nach nicht noch nur oder sein sich sie sind so soll uber um und uns " +
  "vom von vor war was welche wenn wer wie wir wird wo zu zum zur";

/**
 * Stop words of English and German, which say nothing about a task: lower case, without accents.
 */
export const stopWords: ReadonlySet<string> = new Set(`${english} ${german}`.split(" "));
