/**
 * Synonyms in tasks and tools. Each line has English words, then after `|` German ones, and after a
 * second `|` Chinese and Japanese ones. German words are in lower case and without accents; a
 * synonym of at least five letters also matches longer words that begin with it.
 */
export const synonymTable = `
create make new add insert generate build register open | erstelle erstellen anlegen lege neu neue neuen neuer erzeuge hinzufugen mache | 创建 新建 添加 生成 作成 追加
write save store put append | schreibe schreiben speichern speichere ablegen | 写 写入 保存 存储 書く 保存する
delete remove destroy erase drop discard trash clear rid throw | losche loschen entferne entfernen weg | 删除 移除 清空 削除
update change edit modify patch set alter adjust replace | andere andern anderung aktualisiere bearbeite bearbeiten ersetze ersetzen | 修改 更新 编辑 更改 替换 編集 変更
list show all enumerate overview which | zeige zeigen liste auflisten welche ubersicht | 列出 显示 列表 一覧 表示
get read fetch retrieve view open show look load see display | lies lese lesen hole holen abrufen offne offnen anzeigen | 读取 获取 查看 打开 読む 取得 開く
search find look query lookup locate seek where | suche suchen finde finden nachschlagen | 搜索 查找 查询 寻找 检索 検索 探す
send post submit deliver mail message tell | schicke schicken sende senden verschicke | 发送 寄 送信 送る
copy duplicate clone | kopiere kopieren kopie duplizieren | 复制 拷贝 コピー
move rename shift relocate | verschiebe verschieben umbenennen | 移动 重命名 移動
undo revert restore rollback back | ruckgangig zurucknehmen wiederherstellen | 撤销 恢复 元に戻す
run execute start launch evaluate perform | ausfuhren fuhre starte starten | 运行 执行 启动 実行
stop cancel abort end terminate halt | stoppe stoppen abbrechen beenden kundigen absagen | 停止 取消 终止 中止 キャンセル
restart rerun reboot retry | neustart neustarten | 重启 重新 再起動
compare difference diff changed versus | vergleiche vergleichen unterschied | 比较 对比 比較
merge combine join accept unite | zusammenfuhren vereinen verbinden | 合并 統合
share invite permission access collaborator grant | teile teilen freigeben freigabe einladen berechtigung zugriff | 分享 共享 邀请 权限 共有 招待
close finish complete resolve lock | schliesse schliessen abschliessen | 关闭 完成 閉じる
upload attach attachment | hochladen anhang anhangen | 上传 附件 アップロード 添付
download export save | herunterladen exportieren | 下载 导出 ダウンロード
convert transform turn export change | umwandeln konvertiere konvertieren umrechnen | 转换 换算 変換
translate translation language | ubersetze ubersetzen ubersetzung | 翻译 翻訳 英文 中文 日文
calculate compute math arithmetic sum add solve evaluate percent | rechne rechnen berechne berechnen ausrechnen addieren | 计算 算 求和 計算
draw generate paint picture image create | zeichne zeichnen male malen | 画 绘制 描く
describe explain see recognize | beschreibe beschreiben | 描述 识别 説明
transcribe transcription speech audio recording voice dictate spoken said | transkribiere aufnahme sprache | 转录 录音 语音 音频 音声
schedule plan book appointment | plane planen einplanen | 安排 计划 预定 予定
remind reminder alarm | erinnere erinnern erinnerung | 提醒 リマインド
file files document text | datei dateien dokument dokumente | 文件 档案 文档 ファイル 書類
folder directory folders directories path | ordner verzeichnis | 文件夹 目录 フォルダ ディレクトリ
content contents text body | inhalt inhalte | 内容 中身
picture image photo drawing illustration screenshot | bild bilder foto grafik | 图片 图像 照片 截图 画像 写真
web internet online website site page url | internet netz webseite website seite | 网页 网站 互联网 上网 ウェブ サイト
browser tab page | browser | 浏览器 ブラウザ
email mail message inbox mailbox letter | mail mails nachricht postfach | 邮件 电子邮件 邮箱 メール
message post text chat notification | nachricht nachrichten mitteilung | 消息 信息 メッセージ
channel room conversation chat group | kanal raum unterhaltung | 频道 群 チャンネル
calendar event appointment meeting agenda date | kalender termin termine besprechung treffen | 日历 事件 会议 日程 予定 会議 カレンダー
date time day today now clock hour weekday | datum uhrzeit spat heute jetzt zeit wochentag | 时间 日期 几点 今天 现在 星期 時間 日付 今日 何時
tomorrow forecast | morgen | 明天 明日
weather forecast rain temperature sun wind | wetter regen temperatur | 天气 气温 下雨 天気
news latest current web | nachrichten neuigkeiten | 新闻 ニュース
note notes notebook memo | notiz notizen notizbuch | 笔记 笔记本 备忘 ノート メモ
task todo step item work | aufgabe aufgaben schritt | 任务 待办 タスク
issue bug ticket problem defect report case | fehler problem meldung | 问题 缺陷 工单 バグ 課題
repository repo project code git | repo projekt | 仓库 项目 リポジトリ
pull request pr merge review branch propose | anfrage zweig | 合并请求 分支
workflow ci build pipeline job run | pipeline | 流水线 构建 ビルド
release version publish tag | version veroffentlichen | 发布 版本 リリース
customer client buyer user contact person people member | kunde kunden kontakt person benutzer nutzer | 客户 用户 联系人 顧客 ユーザー
contact lead person customer | kontakt kontakte | 联系人 連絡先
company organization firm business | firma unternehmen | 公司 企业 会社
deal opportunity sale | geschaft verkauf | 交易 商机
invoice bill charge billing | rechnung rechnungen | 发票 账单 請求書
pay payment money price cost | bezahle bezahlen zahlung geld preis | 付款 支付 钱 支払い
refund money return back repay | erstattung ruckerstattung erstatten | 退款 返金
balance account money funds | kontostand guthaben konto | 余额 账户 残高
subscription plan monthly | abo abonnement | 订阅
discount coupon voucher | rabatt gutschein | 折扣 优惠券 クーポン
dispute chargeback complaint | | 争议
table sheet spreadsheet csv row cell column | tabelle tabellen zeile spalte | 表格 电子表格 表 行 列
chart graph plot diagram visualize figure | diagramm balkendiagramm liniendiagramm kreisdiagramm | 图表 柱状图 折线图 饼图 グラフ
bar bars column | balken balkendiagramm | 柱状图 棒グラフ
pie share shares | kreisdiagramm torte | 饼图 円グラフ
line development trend | liniendiagramm verlauf | 折线图 折れ線
scatter correlation | streudiagramm | 散点图 散布図
code program script source snippet | code programm skript | 代码 程序 脚本 コード
shell bash command terminal console | befehl terminal | 命令 终端 コマンド
database sql query db | datenbank | 数据库 データベース
server machine host vm virtual droplet node instance computer | server rechner maschine | 服务器 主机 サーバー
container pod | container | 容器 コンテナ
log logs output console error | protokoll | 日志 ログ
scale replicas resize | skalieren | 扩展
secret password credential key token | passwort geheimnis kennwort | 密码 密钥 パスワード
certificate ssl tls https | zertifikat | 证书
firewall port block inbound | | 防火墙
domain dns record | domain | 域名
alert alarm notify monitor warn | warnung alarm | 警报 アラート
cron nightly night periodic recurring | nachts regelmassig | 定时
backup backups snapshot | sicherung | 备份 バックアップ
version versions revision revisions older history | versionen verlauf | 历史 版本 履歴
flight plane airplane airline ticket | flug fluge flugzeug | 航班 机票 飛行機
hotel room night stay | hotel zimmer ubernachtung | 酒店 宾馆 房间 ホテル
route directions way drive travel road | weg strecke fahren | 路线 导航 ルート
map location address place coordinates latitude longitude | adresse ort karte standort | 地址 地图 位置 地図 住所
currency exchange dollars euros money | wahrung euro dollar | 货币 汇率 通貨
package parcel shipment delivery tracking | paket sendung | 包裹 快递 荷物
click press tap push | klicke klicken drucke | 点击 クリック
type enter fill input form | eingeben ausfullen formular | 输入 填写 入力
select choose pick option dropdown | wahle auswahlen | 选择 選択
navigate go visit open url | gehe besuche | 访问 前往
hover mouse | maus | 鼠标
screenshot picture capture snapshot | bildschirmfoto | 截屏 截图 スクリーンショット
vacation holiday away responder office | urlaub abwesenheit | 休假 假期
busy free available availability | frei verfugbar | 空闲 忙
mute silence snooze disturb quiet | stumm | 静音
reaction emoji thumbs react | | 表情
rule filter automatically sort | regel filter | 规则 过滤
label tag category mark | kategorie markieren | 标签
comment answer reply discussion respond | kommentar antwort antworten | 评论 回复 コメント 返信
person who biography encyclopedia wikipedia | lexikon | 百科 人物
recipe recipes web | rezept rezepte | 食谱 菜谱
variable value stored | variable wert | 变量 変数
skill ability instruction instructions | fahigkeit anleitung | 技能
uppercase lowercase case letters capital | grossbuchstaben kleinbuchstaben | 大写 小写
json object structure typescript interface type | | 
environment variables env | umgebungsvariablen | 环境变量
echo repeat | wiederhole wiederholen | 重复
number numbers digits | zahl zahlen | 数字
css class classes style structure element elements dom html selector | | 
request requests network traffic | | 请求
passage paragraph section part | absatz abschnitt | 段落
crawl site pages whole | | 
size large kind metadata info information | grosse | 大小 信息 情報
`;
