# A shop that leaks: every session stays, while its cache is bounded.
Session = Struct.new(:id, :data)
$open = []
cache = {}
until $open.length == 500
  $open << Session.new($open.length, 'x' * 500)
  cache[$open.length % 50] = 'y' * 1000
end
sleep 1.5
